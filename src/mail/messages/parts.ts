import { markBidiControls } from "../../lib/text-rules.ts";
import type { ContentType, Fields } from "../reports/message.ts";
import { decodeEncodedWords } from "../texts/encoded-words.ts";
import { decodeText } from "../texts/text.ts";
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

const DISPOSITION_PARAMETER = /;\s*([!-:<-~]{1,40}?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;]*))/g;

function filenameOf(fields: Fields, typeParameters: ReadonlyMap<string, string>): string | null {
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, token] of (fields.get("content-disposition") ?? "").matchAll(
    DISPOSITION_PARAMETER,
  )) {
    // `filename*0*` is a piece that is percent-encoded; the first piece has the charset.
    const key = name.toLowerCase();
    const value = quoted?.replace(/\\(.)/g, "$1") ?? token ?? "";
    if (key === "filename*") parameters.set("filename", decodePercent(value));
    else if (!parameters.has(key)) parameters.set(key.replace(/\*$/, ""), value);
    if (parameters.size > 120) break;
  }
  const found = readParameter(parameters, "filename") ?? readParameter(typeParameters, "name");
  const name = found
    ?.replace(/[\p{Cc}\u2028\u2029/\\]+/gu, "_")
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

const MAX_PIECES = 100;

/**
 * Returns a parameter of a header field: plain, encoded and continued (RFC 2231), or as the encoded-words that many mailers
 * write although RFC 2047 5 forbids them. Null when it is absent.
 */
function readParameter(parameters: ReadonlyMap<string, string>, name: string): string | null {
  const extended = readExtended(parameters, name);
  if (extended !== null) return extended;
  const plain = parameters.get(name);
  return plain === undefined ? null : decodeEncodedWords(plain);
}

function readExtended(parameters: ReadonlyMap<string, string>, name: string): string | null {
  if (!parameters.has(`${name}*0`)) return null;
  let text = "";
  for (let piece = 0; piece < MAX_PIECES; piece++) {
    const value = parameters.get(`${name}*${piece}`);
    if (value === undefined) break;
    text += value;
  }
  return decodePercent(text);
}

/** Decodes `charset'language'%41`. Text of another form stays as it is. */
function decodePercent(text: string): string {
  const match = /^([A-Za-z0-9._-]{0,40})'[^']{0,40}'(.*)$/s.exec(text);
  if (!match) return text;
  const bytes: number[] = [];
  for (const [, code, other = ""] of (match[2] ?? "").matchAll(/%([0-9a-f]{2})|(.)/gisu)) {
    if (code !== undefined) bytes.push(Number.parseInt(code, 16));
    else bytes.push(...new TextEncoder().encode(other));
  }
  return decodeText(Uint8Array.from(bytes), match[1] || "utf-8");
}
