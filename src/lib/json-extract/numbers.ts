/** JSON numbers (RFC 8259 section 6). */

import { JsonInvalid } from "./errors.ts";

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Where the bytes that can belong to a number end, from `from` on. */
export function endOfNumber(data: Uint8Array, from: number): number {
  let at = from;
  while (at < data.length && isNumberByte(data[at] as number)) at++;
  return at;
}

/** Digits, `+`, `-`, `.`, `e` and `E`. */
function isNumberByte(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte | 0x20) === 0x65 || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}

/** The value of a number's whole text, as `JSON.parse` rounds it. Throws JsonInvalid. */
export function numberOf(text: string, offset: number): number {
  if (!NUMBER.test(text)) throw new JsonInvalid(offset, "not a number");
  return Number(text);
}
