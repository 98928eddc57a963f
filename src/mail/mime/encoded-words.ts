import { toBase64, utf8 } from "../../lib/bytes.ts";

const ENCODED_WORD_OVERHEAD = "=?utf-8?Q??=".length;
/** Longest encoded-word, in characters (RFC 2047 2). */
const MAX_ENCODED_WORD = 75;
/** Octets that need no escape in a phrase (RFC 2047 5 (3)). A space becomes an underscore. */
const LITERALS_OF_Q = new Set(utf8(" !*+-/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"));
/** Length of an encoded-word that contains one character of four bytes in Q. */
const MIN_FIRST_WORD = ENCODED_WORD_OVERHEAD + 12;

/**
 * Encodes a text as encoded-words (RFC 2047), in Q or B, whichever is shorter. Words are split between characters. The first word has at
 * most `firstLimit` characters, the others 75. The Q alphabet is the one for phrases, which is valid in every header.
 */
export function encodedWords(text: string, firstLimit: number): string[] {
  const bytes = utf8(text);
  const q = qLength(bytes, 0, bytes.length) <= Math.ceil(bytes.length / 3) * 4;
  const words: string[] = [];
  let limit = Math.min(MAX_ENCODED_WORD, Math.max(MIN_FIRST_WORD, firstLimit)) - ENCODED_WORD_OVERHEAD;
  let start = 0;
  let end = 0;
  while (end < bytes.length) {
    const next = characterEnd(bytes, end);
    const size = q ? qLength(bytes, start, next) : Math.ceil((next - start) / 3) * 4;
    if (size > limit && end > start) {
      words.push(encodedWord(bytes.subarray(start, end), q));
      start = end;
      limit = MAX_ENCODED_WORD - ENCODED_WORD_OVERHEAD;
    } else {
      end = next;
    }
  }
  if (end > start) words.push(encodedWord(bytes.subarray(start, end), q));
  return words;
}

/** Returns whether a text is not printable ASCII, or contains a part that a parser could read as an encoded-word. */
export const needsEncoding = (text: string): boolean => /[^\x20-\x7e]/.test(text) || text.includes("=?");

function encodedWord(bytes: Uint8Array, q: boolean): string {
  if (!q) return `=?utf-8?B?${toBase64(bytes)}?=`;
  let out = "=?utf-8?Q?";
  for (const byte of bytes) {
    if (byte === 0x20) out += "_";
    else if (LITERALS_OF_Q.has(byte)) out += String.fromCharCode(byte);
    else out += `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return `${out}?=`;
}

function qLength(bytes: Uint8Array, start: number, end: number): number {
  let size = 0;
  for (let i = start; i < end; i++) size += LITERALS_OF_Q.has(bytes[i] ?? 0) ? 1 : 3;
  return size;
}

function characterEnd(bytes: Uint8Array, start: number): number {
  let end = start + 1;
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end++;
  return end;
}
