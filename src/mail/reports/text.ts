import { binaryStringToBytes } from "../../lib/bytes.ts";
import { tryOr } from "../../lib/try-or.ts";
import { decodeWhole, newBodyDecoder } from "../mime/body-decoder.ts";
import { decodeHeader, type Part } from "./message.ts";

/** Bytes of a part that are decoded; lines, and characters of a line, that are read of its text. */
const MAX_ENCODED = 192 * 1024;
const MAX_LINES = 3000;
const MAX_LINE = 1000;

/** Decodes a part's body from base64 or quoted-printable (RFC 2045 6). Reads the first 192 KiB. Never throws. */
export function decodeBody(part: Pick<Part, "fields" | "body">): Uint8Array {
  const body = part.body.subarray(0, MAX_ENCODED);
  return decodeTransferEncoding(body, part.fields.get("content-transfer-encoding") ?? "");
}

/** Decodes a body by the value of its Content-Transfer-Encoding. Never throws. */
export function decodeTransferEncoding(body: Uint8Array, encoding: string): Uint8Array {
  const name = encoding.toLowerCase();
  // Without what is left of a group of four, within which a body that was cut off may end.
  if (name.includes("base64")) return newBodyDecoder("base64").push(body);
  return decodeWhole(body, name.includes("quoted-printable") ? "quoted-printable" : "");
}

/**
 * Returns the lines of a part's text. Falls back to windows-1252 when the charset is unknown or does not fit. Removes
 * the tags of HTML.
 */
export function decodeLines(part: Part): string[] {
  const decoded = decodeText(decodeBody(part), part.parameters.get("charset") ?? "");
  const text = part.type === "text/html" ? removeTags(decoded) : decoded;
  return text
    .split(/\r\n|\r|\n/, MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE).replaceAll("\u00a0", " ").replaceAll("\u2019", "'").trimEnd());
}

/** Decodes text in a charset. Guesses when the charset is unknown or does not fit. */
export function decodeText(bytes: Uint8Array, charset: string): string {
  const label = charset
    .trim()
    .toLowerCase()
    .slice(0, 40)
    .replace(/^(?:iso-2022-jp-\w+|cp5022\d|csiso2022jp)$/, "iso-2022-jp");
  if (isIso2022Jp(bytes)) return new TextDecoder("iso-2022-jp").decode(bytes);
  if (label === "" || label === "utf-8" || label === "us-ascii") return decodeHeader(bytes);
  return tryOr(() => new TextDecoder(label).decode(bytes), null) ?? decodeHeader(bytes);
}

/** Looks for the escape to JIS X 0208 (RFC 1468) near the beginning: Japanese systems often omit the charset. */
function isIso2022Jp(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0x1b); at >= 0 && at < 16_384; at = bytes.indexOf(0x1b, at + 1)) {
    if (bytes[at + 1] === 0x24 && (bytes[at + 2] === 0x42 || bytes[at + 2] === 0x40)) return true;
  }
  return false;
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: " ", "#39": "'", "#64": "@" };

function removeTags(html: string): string {
  return removeElement(removeElement(html, "style"), "script")
    .replace(/[\r\n]+/g, " ")
    .replace(/<(?:br|\/?p|\/?div|\/tr|\/?h\d|\/li|\/td)\b[^<>]*>/gi, "\n")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(#?\w{2,4});/g, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole);
}

/** Uses indexOf: a regular expression is quadratic when many elements have no end tag. */
function removeElement(html: string, name: string): string {
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

const ENCODED_WORD = /=\?([^?\s*]{1,40})(?:\*[^?\s]{0,20})?\?([bq])\?([^?\s]*)\?=/gi;

/** Decodes the encoded words (RFC 2047) of a field. Leaves malformed words unchanged. */
export function decodeEncodedWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(ENCODED_WORD, (whole, charset: string, encoding: string, text: string) => {
      try {
        const bytes = encoding.toLowerCase() === "b" ? binaryStringToBytes(atob(text)) : decodeQ(text);
        return /^(?:utf-8|us-ascii)$/i.test(charset) ? decodeHeader(bytes) : new TextDecoder(charset).decode(bytes);
      } catch {
        return whole;
      }
    });
}

const decodeQ = (text: string) =>
  binaryStringToBytes(
    text
      .replaceAll("_", " ")
      .replace(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );
