import { utf8 } from "../../lib/bytes.ts";

/** Binary strings: each character is one byte, as in `btoa`. Header fields are binary strings until they are sent. */

/** Returns the bytes of a binary string. The string must not contain characters above 255. */
export function binaryStringToBytes(binaryString: string): Uint8Array {
  // Most are ASCII, whose UTF-8 form has as many bytes as characters; encoding it takes a fraction of the loop's time.
  const ascii = utf8(binaryString);
  if (ascii.length === binaryString.length) return ascii;
  const out = new Uint8Array(binaryString.length);
  for (let i = 0; i < binaryString.length; i++) out[i] = binaryString.charCodeAt(i);
  return out;
}

/** Returns the UTF-8 form of a text as a binary string. Lone surrogates become U+FFFD. */
export function utf8BinaryString(text: string): string {
  let out = "";
  for (const byte of utf8(text)) out += String.fromCharCode(byte);
  return out;
}
