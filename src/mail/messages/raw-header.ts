import { concat, utf8 } from "../../lib/bytes.ts";
import { tryOr } from "../../lib/try-or.ts";
import { charsetOf } from "../texts/charsets.ts";
import { decodeText } from "../texts/text.ts";

const CHARSET = /^content-type[ \t]*:(?:[^\r\n]|\r?\n[ \t]){0,500}?;[\s]*charset\s*=\s*"?([A-Za-z0-9._:+-]{1,40})/im;
const [ESCAPE, LF] = [0x1b, 0x0a];

/**
 * Returns a header whose raw text is UTF-8. Mailers without MIME write fields in the charset of the text, which the Content-Type names;
 * lines that are UTF-8 stay as they are. Without a charset the bytes are returned: their readers try windows-1252.
 */
export function toUtf8Header(bytes: Uint8Array): Uint8Array {
  if (!hasRawText(bytes)) return bytes;
  const charset = charsetOf(CHARSET.exec(new TextDecoder("windows-1252").decode(bytes))?.[1] ?? "");
  if (charset === "" || charset === "us-ascii") return bytes;
  const lines: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const lf = bytes.indexOf(LF, at);
    const end = lf < 0 ? bytes.length : lf + 1;
    const line = bytes.subarray(at, end);
    lines.push(isRead(line, charset) ? line : utf8(decodeText(line, charset)));
    at = end;
  }
  return concat(lines);
}

/** Returns whether bytes have text that is not ASCII, or the escapes of ISO-2022-JP. */
const hasRawText = (bytes: Uint8Array) => bytes.some((byte) => byte >= 0x80 || byte === ESCAPE);

/** Returns whether a line needs no charset to be read. */
function isRead(line: Uint8Array, charset: string): boolean {
  if (charset === "iso-2022-jp") return !line.includes(ESCAPE);
  return tryOr(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(line), null) !== null;
}
