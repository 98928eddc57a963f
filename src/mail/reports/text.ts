import { decodeWhole, newBodyDecoder } from "../mime/body-decoder.ts";
import { decodeText as decodeTextOf, htmlToText } from "../texts/text.ts";
import type { Part } from "./message.ts";

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

/** Returns the lines of a part's text. Removes the tags of HTML. */
export function decodeLines(part: Part): string[] {
  const decoded = decodeText(decodeBody(part), part.parameters.get("charset") ?? "");
  const text = part.type === "text/html" ? htmlToText(decoded.replace(/[\r\n]+/g, " "), decoded.length) : decoded;
  return text
    .split(/\r\n|\r|\n/, MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE).replaceAll("\u00a0", " ").replaceAll("\u2019", "'").trimEnd());
}

/** Decodes text in a charset, or in ISO-2022-JP by its escapes. */
export function decodeText(bytes: Uint8Array, charset: string): string {
  return isIso2022Jp(bytes) ? new TextDecoder("iso-2022-jp").decode(bytes) : decodeTextOf(bytes, charset);
}

/** Looks for the escape to JIS X 0208 (RFC 1468) near the beginning: Japanese systems often omit the charset. */
function isIso2022Jp(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0x1b); at >= 0 && at < 16_384; at = bytes.indexOf(0x1b, at + 1)) {
    if (bytes[at + 1] === 0x24 && (bytes[at + 2] === 0x42 || bytes[at + 2] === 0x40)) return true;
  }
  return false;
}
