import { isUtf8 } from "node:buffer";
import { binaryStringToBytes, toBinaryString } from "../../lib/bytes.ts";
import { charsetOf } from "./charsets.ts";
import { WORD } from "./encoded-words.ts";
import { decodeText, isNamed } from "./text.ts";

/** Text that is not ASCII, or the escapes of ISO-2022-JP. */
const RAW = /[\x1b\x80-\xff]/;
const RAW_BYTES = /[\x80-\xff]/g;
const CHARSET = /^content-type[ \t]*:(?:[^\r\n]|\r?\n[ \t]){0,500}?;[\s]*charset\s*=\s*"?([A-Za-z0-9._:+-]{1,40})/im;

/** Returns the charset of the text that a header describes, in which mailers without MIME write its fields; empty when it names none. */
export function charsetOfHeader(header: Uint8Array): string {
  const binary = toBinaryString(header);
  return RAW.test(binary) ? charsetOf(CHARSET.exec(binary)?.[1] ?? "") : "";
}

/**
 * Decodes a field, a binary string: UTF-8 (RFC 6532), or the charset of the text. Raw bytes of an encoded-word are escaped before, since
 * they are in its charset. Encoded-words are not decoded.
 */
export function decodeHeader(binary: string, charset = ""): string {
  if (!RAW.test(binary)) return binary;
  const bytes = binaryStringToBytes(binary.replace(WORD, escapeRaw));
  const isRead = isUtf8(bytes) && !binary.includes("\x1b");
  // Fields beside a text in UTF-8 are often in another charset.
  return decodeText(bytes, isRead || !isNamed(charset) ? "" : charset);
}

const escapeRaw = (word: string, _charset: string, encoding: string) =>
  word.replace(RAW_BYTES, (byte) =>
    encoding.toLowerCase() === "q" ? `=${byte.charCodeAt(0).toString(16).toUpperCase()}` : "",
  );
