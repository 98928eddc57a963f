/** JSON numbers (RFC 8259 section 6). */

import { JsonInvalid } from "./errors.ts";

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Returns the end of the run of bytes that can belong to a number, from `from` on. */
export function endOfNumber(data: Uint8Array, from: number): number {
  let at = from;
  while (at < data.length && isNumberByte(data[at] as number)) at++;
  return at;
}

/** Returns whether a byte is a digit, `+`, `-`, `.`, `e` or `E`. */
function isNumberByte(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte | 0x20) === 0x65 || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}

/** Returns the value of a number, rounded as `JSON.parse` does. Throws JsonInvalid. */
export function numberOf(text: string, offset: number): number {
  if (!NUMBER.test(text)) throw new JsonInvalid(offset, "not a number");
  return Number(text);
}
