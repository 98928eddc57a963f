import { utf8 } from "../../lib/bytes.ts";
import { base64Size, encodeBase64 } from "./base64.ts";
import { BOUNDARY_PREFIX } from "./boundaries.ts";
import { countEscapes, encodeQuotedPrintable } from "./quoted-printable.ts";

/** A text body with its Content-Transfer-Encoding. */
export interface EncodedText {
  encoding: "7bit" | "quoted-printable" | "base64";
  octets: Uint8Array;
}

/** RFC 5322 2.1.1, without CRLF. */
const LINE_LIMIT = 998;

/** Replaces each CR, LF and CRLF by CRLF (RFC 5321 2.3.8). */
export function toCrlf(text: string): string {
  return /[\r\n]/.test(text) ? text.replace(/\r\n?|\n/g, "\r\n") : text;
}

/**
 * Encodes a text body. Uses 7bit for ASCII text without control characters, lines over 998 octets, lines that begin
 * with `From `, and the prefix of the service's boundaries. Otherwise uses the shorter of quoted-printable and base64.
 */
export function encodeText(text: string): EncodedText {
  const lines = toCrlf(text);
  const octets = utf8(lines);
  if (!/[^\t\r\n\x20-\x7e]/.test(lines) && !hasLongLine(lines) && !hasUnsafeLine(lines)) {
    return { encoding: "7bit", octets };
  }
  const escapes = countEscapes(octets);
  const size = octets.length + escapes * 2;
  if (size + (size / 73) * 3 > base64Size(octets.length)) return { encoding: "base64", octets: encodeBase64(octets) };
  return { encoding: "quoted-printable", octets: encodeQuotedPrintable(octets, escapes) };
}

function hasLongLine(lines: string): boolean {
  let start = 0;
  for (let end = lines.indexOf("\r\n"); end >= 0; end = lines.indexOf("\r\n", start)) {
    if (end - start > LINE_LIMIT) return true;
    start = end + 2;
  }
  return lines.length - start > LINE_LIMIT;
}

function hasUnsafeLine(lines: string): boolean {
  return lines.includes(BOUNDARY_PREFIX) || lines.startsWith("From ") || lines.includes("\nFrom ");
}
