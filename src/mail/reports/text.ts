import { decodeHeader } from "./fields.ts";
import type { Part } from "./parts.ts";

/** Octets of a part that are decoded, and what is read of its text. */
const MAX_ENCODED = 192 * 1024;
const MAX_LINES = 3000;
const MAX_LINE = 1000;

/** The octets of a part's body, base64 and quoted-printable undone (RFC 2045 6), up to a limit. Never throws. */
export function octetsOf(part: Pick<Part, "fields" | "body">): Uint8Array {
  const body = part.body.subarray(0, MAX_ENCODED);
  const encoding = (part.fields.get("content-transfer-encoding") ?? "").toLowerCase();
  if (encoding.includes("base64")) return fromBase64(body);
  return encoding.includes("quoted-printable") ? fromQuotedPrintable(body) : body;
}

/**
 * A part's text, in lines without their ends, whatever ended them: the charset's, or windows-1252 where that is not
 * known or does not fit. HTML loses its tags.
 */
export function linesOf(part: Part): string[] {
  const decoded = decode(octetsOf(part), part.parameters.get("charset") ?? "");
  const text = part.type === "text/html" ? withoutTags(decoded) : decoded;
  return text
    .split(/\r\n|\r|\n/, MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE).replaceAll("\u00a0", " ").replaceAll("\u2019", "'").trimEnd());
}

function decode(octets: Uint8Array, charset: string): string {
  const label = charset.trim().toLowerCase().slice(0, 40);
  if (label === "" || label === "utf-8" || label === "us-ascii") return decodeHeader(octets);
  try {
    return new TextDecoder(label).decode(octets);
  } catch {
    return decodeHeader(octets);
  }
}

function fromBase64(body: Uint8Array): Uint8Array {
  const digits = new Uint8Array(body.length);
  let count = 0;
  for (const octet of body) if (isBase64(octet)) digits[count++] = octet;
  // What was cut off may end within a group of four.
  const binary = atob(new TextDecoder("ascii").decode(digits.subarray(0, count & ~3)));
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < out.length; i++) out[i] = binary.charCodeAt(i);
  return out;
}

const isBase64 = (o: number) =>
  (o >= 0x30 && o <= 0x39) || (o >= 0x41 && o <= 0x5a) || (o >= 0x61 && o <= 0x7a) || o === 0x2b || o === 0x2f;

function fromQuotedPrintable(body: Uint8Array): Uint8Array {
  const out = new Uint8Array(body.length);
  let to = 0;
  for (let at = 0; at < body.length; at++) {
    const octet = body[at] ?? 0;
    if (octet !== 0x3d) {
      out[to++] = octet;
      continue;
    }
    const lineEnds = softBreak(body, at + 1);
    if (lineEnds > 0) {
      at = lineEnds - 1;
      continue;
    }
    const [high, low] = [digit(body[at + 1]), digit(body[at + 2])];
    if (high < 0 || low < 0) out[to++] = octet;
    else {
      out[to++] = high * 16 + low;
      at += 2;
    }
  }
  return out.subarray(0, to);
}

/** Where the line after a soft line break begins; 0 when it is none. */
function softBreak(body: Uint8Array, at: number): number {
  let end = at;
  while (body[end] === 0x20 || body[end] === 0x09) end++;
  if (body[end] === 0x0d) return body[end + 1] === 0x0a ? end + 2 : end + 1;
  return body[end] === 0x0a ? end + 1 : 0;
}

function digit(octet: number | undefined): number {
  if (octet === undefined) return -1;
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30;
  const letter = octet | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: " ", "#39": "'", "#64": "@" };

function withoutTags(html: string): string {
  return withoutElement(withoutElement(html, "style"), "script")
    .replace(/[\r\n]+/g, " ")
    .replace(/<(?:br|\/?p|\/?div|\/tr|\/?h\d|\/li|\/td)\b[^<>]*>/gi, "\n")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(#?\w{2,4});/g, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole);
}

/** Not by a pattern: on one that has no end it would look for it again and again. */
function withoutElement(html: string, name: string): string {
  const lower = html.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  let text = "";
  for (let at = 0; at < html.length; ) {
    const from = lower.indexOf(`<${name}`, at);
    text += html.slice(at, from < 0 ? html.length : from);
    if (from < 0) break;
    const to = lower.indexOf(`</${name}`, from);
    if (to < 0) break;
    at = to;
  }
  return text;
}
