import { toBinaryString, utf8 } from "../../lib/bytes.ts";

/** Binary strings: each character is one byte, as in `btoa`. Header fields are binary strings until they are sent. */

/** Returns the UTF-8 form of a text as a binary string. Lone surrogates become U+FFFD. */
export const utf8BinaryString = (text: string): string => toBinaryString(utf8(text));
