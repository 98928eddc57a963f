import { utf8 } from "../../lib/bytes.ts";
import { base64Size, encodeBase64 } from "./base64.ts";
import { BOUNDARY_PREFIX } from "./boundaries.ts";
import { countEscapes, encodeQuotedPrintable } from "./quoted-printable.ts";

/** RFC 5322 2.1.1, without CRLF. */
const LINE_LIMIT = 998;
const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];

/**
 * Encodes a text body. Uses 7bit for ASCII text without control characters, lines over 998 bytes, lines that begin
 * with `From `, and the prefix of the service's boundaries. Otherwise uses the shorter of quoted-printable and base64.
 */
export function encodeText(text: string): { encoding: "7bit" | "quoted-printable" | "base64"; bytes: Uint8Array } {
  const plain = encodeShortPlainText(text);
  if (plain) return { encoding: "7bit", bytes: plain };
  const bytes = utf8(text);
  const { bareLineEnds, isPlainAscii } = scan(bytes);
  const withCrlf = bareLineEnds === 0 ? bytes : toCrlf(bytes, bareLineEnds);
  if (isPlainAscii && !hasUnsafeLine(text)) return { encoding: "7bit", bytes: withCrlf };
  const escapes = countEscapes(withCrlf);
  const size = withCrlf.length + escapes * 2;
  if (size + (size / 73) * 3 > base64Size(withCrlf.length))
    return { encoding: "base64", bytes: encodeBase64(withCrlf) };
  return { encoding: "quoted-printable", bytes: encodeQuotedPrintable(withCrlf, escapes) };
}

/** Longest text that is tested and converted as a string: its line ends are few enough for matches of their own. */
const SHORT_TEXT = 64 * 1024;

/** Returns the bytes of a short text that needs no encoding; null for any other. Takes half of the time of the passes over bytes. */
function encodeShortPlainText(text: string): Uint8Array | null {
  if (text.length > SHORT_TEXT || !/^[\t\n\r\x20-\x7e]*$/.test(text) || hasUnsafeLine(text)) return null;
  const withLf = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  const lines = withLf.split("\n");
  return lines.every(({ length }) => length <= LINE_LIMIT) ? utf8(lines.join("\r\n")) : null;
}

/** Counts CR and LF that are not part of a CRLF, and tells whether all is printable ASCII and TAB in lines of at most 998 bytes. */
function scan(bytes: Uint8Array) {
  let bareLineEnds = 0;
  let isPlainAscii = true;
  let lineStart = 0;
  let previous = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (previous === CR && byte !== LF) bareLineEnds++;
    if (byte === LF && previous !== CR) bareLineEnds++;
    if (byte === LF || byte === CR) lineStart = i + 1;
    else if (byte > 0x7e || (byte < SPACE && byte !== TAB) || i - lineStart >= LINE_LIMIT) isPlainAscii = false;
    previous = byte;
  }
  return { bareLineEnds: previous === CR ? bareLineEnds + 1 : bareLineEnds, isPlainAscii };
}

/** Replaces each bare CR and bare LF by CRLF (RFC 5321 2.3.8). Works on bytes: in a string, millions of line ends take as many matches. */
function toCrlf(bytes: Uint8Array, bareLineEnds: number): Uint8Array {
  const out = new Uint8Array(bytes.length + bareLineEnds);
  let to = 0;
  let previous = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (previous === CR && byte !== LF) out[to++] = LF;
    if (byte === LF && previous !== CR) out[to++] = CR;
    out[to++] = byte;
    previous = byte;
  }
  if (previous === CR) out[to] = LF;
  return out;
}

function hasUnsafeLine(text: string): boolean {
  return (
    text.includes(BOUNDARY_PREFIX) || text.startsWith("From ") || text.includes("\nFrom ") || text.includes("\rFrom ")
  );
}
