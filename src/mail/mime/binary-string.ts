import { utf8 } from "../../lib/bytes.ts";

/** Strings whose characters each stand for one octet ("octet strings"): how header fields are held until they are sent. */

/** Octets of an octet string. Characters above 255 must not occur. */
export function binaryStringToBytes(octetString: string): Uint8Array {
  const out = new Uint8Array(octetString.length);
  for (let i = 0; i < octetString.length; i++) out[i] = octetString.charCodeAt(i);
  return out;
}

/** The UTF-8 form of a text as an octet string; lone surrogates become U+FFFD. */
export function utf8BinaryString(text: string): string {
  let out = "";
  for (const octet of utf8(text)) out += String.fromCharCode(octet);
  return out;
}
