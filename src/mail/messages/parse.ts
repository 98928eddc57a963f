import { type Address, addressParser, decodeWords } from "postal-mime";
import type { Fields } from "../reports/index.ts";
import { decodedSize, decodeWhole } from "./body-decoder.ts";
import { decodePercent, readParameter } from "./parameters.ts";
import { bounds } from "./rules.ts";
import { type ScannedPart, scanMessage } from "./scan.ts";
import { decodeText, htmlToText } from "./text.ts";

export interface MailAddress {
  email: string;
  name: string | null;
}

/** How a part is used: `text` and `html` are shown, `inline` belongs to the HTML, the others are attachments. */
export type PartUse = "text" | "html" | "inline" | "attachment";

export interface MessagePart {
  partId: string;
  contentType: string;
  charset: string | null;
  encoding: string;
  /** First byte of the encoded body, its bytes, and those of the decoded body. */
  at: number;
  length: number;
  size: number;
  filename: string | null;
  contentId: string | null;
  use: PartUse;
}

export interface ParsedMessage {
  /** Bytes of the header, with the empty line. */
  headerSize: number;
  messageId: string | null;
  inReplyTo: string | null;
  references: string[];
  from: MailAddress | null;
  to: MailAddress[];
  cc: MailAddress[];
  bcc: MailAddress[];
  replyTo: MailAddress[];
  subject: string;
  /** Milliseconds since 1970; null without a valid Date. */
  date: number | null;
  fields: Fields;
  parts: MessagePart[];
  /** The text without markup, cut off at a bound. */
  text: string;
  problem: string | null;
}

/**
 * Parses a received message at a cost that its length bounds (RFC 5322, RFC 2045). Parts are found, not decoded, except the
 * beginning of the text. Never throws: what cannot be read is left out, and `problem` says so.
 */
export function parseMessage(raw: Uint8Array): ParsedMessage {
  const { fields, bodyAt, parts: scanned, problem } = scanMessage(raw);
  const parts = assignUses(scanned).map(({ part, use }) => toPart(raw, part, use));
  return {
    headerSize: bodyAt,
    messageId: firstId(fields.get("message-id")),
    inReplyTo: firstId(fields.get("in-reply-to")),
    references: idsOf(fields.get("references")),
    from: addressesOf(fields, "from")[0] ?? null,
    to: addressesOf(fields, "to"),
    cc: addressesOf(fields, "cc"),
    bcc: addressesOf(fields, "bcc"),
    replyTo: addressesOf(fields, "reply-to"),
    subject: decodeField(fields.get("subject") ?? "").slice(0, bounds.subjectCharacters),
    date: parseDate(fields.get("date")),
    fields,
    parts,
    text: textOf(raw, parts),
    problem,
  };
}

/** Decodes the encoded-words of a field (RFC 2047). Control characters become spaces. */
export function decodeField(value: string): string {
  return decodeWords(value)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
}

function toPart(raw: Uint8Array, { partId, fields, type, at, end }: ScannedPart, use: PartUse): MessagePart {
  const encoding = (fields.get("content-transfer-encoding") ?? "7bit").trim().toLowerCase().slice(0, 40);
  const contentId = fields.get("content-id");
  return {
    partId,
    contentType: type.type,
    charset: type.parameters.get("charset")?.slice(0, 40) ?? null,
    encoding,
    at,
    length: end - at,
    size: decodedSize(raw.subarray(at, end), encoding),
    filename: filenameOf(fields, type.parameters),
    contentId: contentId === null ? null : contentId.replace(/^\s*<|>\s*$/g, "").slice(0, bounds.idCharacters),
    use,
  };
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
  return name ? name : null;
}

interface UsedPart {
  part: ScannedPart;
  use: PartUse;
}

/** Decides which parts are shown: the first text and the first HTML that are not attached (RFC 2183). */
function assignUses(parts: readonly ScannedPart[]): UsedPart[] {
  const taken = new Set<PartUse>();
  return parts.map((part) => {
    const use = useOf(part);
    const isShown = use === "text" || use === "html";
    if (!isShown) return { part, use };
    if (taken.has(use)) return { part, use: "attachment" };
    taken.add(use);
    return { part, use };
  });
}

function useOf({ type: { type, parameters }, fields, parent }: ScannedPart): PartUse {
  const disposition = fields.get("content-disposition") ?? "";
  const isAttached = /^\s*attachment/i.test(disposition);
  const isNamed = /filename/i.test(disposition) || parameters.has("name");
  // A multipart without a usable boundary can only be read as text (RFC 2045 5.2).
  if (!isAttached && !isNamed && (type === "text/plain" || type.startsWith("multipart/"))) return "text";
  if (!isAttached && !isNamed && type === "text/html") return "html";
  const isInline = !isAttached && (parent?.type === "multipart/related" || /^\s*inline/i.test(disposition));
  return isInline && fields.has("content-id") ? "inline" : "attachment";
}

function textOf(raw: Uint8Array, parts: readonly MessagePart[]): string {
  const part = parts.find(({ use }) => use === "text") ?? parts.find(({ use }) => use === "html");
  if (!part) return "";
  const text = readText(raw.subarray(part.at, part.at + part.length), part, bounds.searchBytes);
  if (part.use === "text" && text.trim() !== "") return text;
  const html = part.use === "html" ? part : parts.find(({ use }) => use === "html");
  if (!html) return text;
  return htmlToText(
    readText(raw.subarray(html.at, html.at + html.length), html, bounds.searchBytes),
    bounds.searchBytes,
  );
}

/** Decodes the text of a part, from at most `maxBytes` encoded bytes. */
export function readText(body: Uint8Array, part: Pick<MessagePart, "encoding" | "charset">, maxBytes: number): string {
  return decodeText(decodeWhole(body.subarray(0, maxBytes), part.encoding), part.charset);
}

function addressesOf(fields: Fields, name: string): MailAddress[] {
  const found: MailAddress[] = [];
  const visit = (address: Address) => {
    if (found.length >= bounds.addresses) return;
    if (address.group) for (const member of address.group) visit(member);
    else if (address.address)
      found.push({
        email: address.address.slice(0, 320),
        name: decodeField(address.name ?? "").slice(0, bounds.nameCharacters) || null,
      });
  };
  for (const value of fields.all(name)) for (const address of addressParser(value)) visit(address);
  return found;
}

const MESSAGE_ID = /<([^<>\s]{1,995})>/g;

const firstId = (value: string | null) => idsOf(value)[0] ?? null;

function idsOf(value: string | null): string[] {
  return [...(value ?? "").matchAll(MESSAGE_ID)].map(([id]) => id).slice(-100);
}

function parseDate(value: string | null): number | null {
  const time = Date.parse((value ?? "").replace(/\([^()]*\)/g, " ").trim());
  return Number.isNaN(time) || time < 0 ? null : time;
}
