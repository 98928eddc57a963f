import { markBidiControls } from "../../lib/text-rules.ts";
import { decodeEncodedWords } from "../texts/encoded-words.ts";
import type { ContentType, Fields } from "../texts/fields.ts";
import { readParameters } from "../texts/parameters.ts";
import { bounds } from "./rules.ts";

/** How a part is used: `text` and `html` are shown, `inline` belongs to the HTML, the others are attachments. */
type PartUse = "text" | "html" | "inline" | "attachment";

/** A part that is not a multipart: where its encoded body is in the message, and how to decode it. An enclosed message is one part. */
export interface MessagePart {
  /** As in IMAP: `1`, `2.1` (RFC 9051 6.4.5). */
  partId: string;
  contentType: string;
  charset: string | null;
  /** Content-Transfer-Encoding in lower case. */
  encoding: string;
  /** First byte of the encoded body, its bytes, and those of the decoded body. */
  at: number;
  length: number;
  size: number;
  filename: string | null;
  contentId: string | null;
  use: PartUse;
  /** The bodies that a text or HTML belongs to. Absent in messages of earlier versions: the one of its type. */
  shownIn?: "text" | "html" | "both";
}

/** The description of a part in its header. */
export type PartDescription = Omit<MessagePart, "at" | "length" | "size">;

/** The place of a part in the multipart that contains it; null: the part is the message itself. */
export type PlaceInParent = { type: string; isFirst: boolean } | null;

/** Reads the header of a part. */
export function describePart(partId: string, fields: Fields, type: ContentType, place: PlaceInParent): PartDescription {
  const contentId = fields.get("content-id");
  const description: PartDescription = {
    partId,
    contentType: type.type,
    charset: type.parameters.get("charset")?.slice(0, 40) ?? null,
    encoding: (fields.get("content-transfer-encoding") ?? "7bit").trim().toLowerCase().slice(0, 40),
    filename: filenameOf(fields, type.parameters),
    contentId: contentId === null ? null : contentId.replace(/^\s*<|>\s*$/g, "").slice(0, bounds.idCharacters),
    use: useOf(fields, type, place),
  };
  // A piece of a string holds all of it in memory: a copy does not.
  return structuredClone(description);
}

/** Many mailers write encoded-words in names, although RFC 2047 5 forbids them. */
function filenameOf(fields: Fields, typeParameters: ReadonlyMap<string, string>): string | null {
  const found = readParameters(fields.get("content-disposition") ?? "").get("filename") ?? typeParameters.get("name");
  const name = decodeEncodedWords(found ?? "")
    .replace(/[\p{Cc}\u2028\u2029/\\]+/gu, "_")
    .slice(0, bounds.nameCharacters)
    .trim();
  return name ? markBidiControls(name) : null;
}

function useOf(fields: Fields, { type, parameters }: ContentType, place: PlaceInParent): PartUse {
  const disposition = fields.get("content-disposition") ?? "";
  const isAttached = /^\s*attachment/i.test(disposition);
  const isNamed = /filename/i.test(disposition) || parameters.has("name");
  const isRelated = place?.type === "multipart/related";
  // RFC 8621 4.1.4: the first part of a multipart is shown, and others that no name makes a file.
  const isShown = !isAttached && (place?.isFirst !== false || !(isRelated || isNamed));
  // A multipart without a usable boundary can only be read as text (RFC 2045 5.2).
  if (isShown && (type === "text/plain" || type.startsWith("multipart/"))) return "text";
  if (isShown && type === "text/html") return "html";
  const isInline = !isAttached && (isRelated || /^\s*inline/i.test(disposition));
  return isInline && fields.has("content-id") ? "inline" : "attachment";
}
