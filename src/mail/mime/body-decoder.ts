import { concat } from "../../lib/bytes.ts";

/** Decodes the body of a part from its Content-Transfer-Encoding (RFC 2045 6), chunk by chunk. */
export interface BodyDecoder {
  /** Returns the decoded bytes of a chunk, as far as they are known. */
  push(chunk: Uint8Array): Uint8Array;
  /** Returns what is left. */
  end(): Uint8Array;
}

/** Returns a decoder for the value of a Content-Transfer-Encoding. Unknown encodings pass through. */
export function newBodyDecoder(encoding: string): BodyDecoder {
  if (/base64/i.test(encoding)) return new Base64Body();
  if (/quoted-printable/i.test(encoding)) return new QuotedPrintableBody();
  return { push: (chunk) => chunk, end: () => new Uint8Array() };
}

/** Decodes a whole body. */
export function decodeWhole(body: Uint8Array, encoding: string): Uint8Array {
  const decoder = newBodyDecoder(encoding);
  const [head, tail] = [decoder.push(body), decoder.end()];
  return tail.length === 0 ? head : concat([head, tail]);
}

const [LF, CR, EQUALS, SPACE, TAB] = [0x0a, 0x0d, 0x3d, 0x20, 0x09];

/** Value of each base64 digit; 255 for any other byte. Both alphabets of RFC 4648 are read. */
const DIGITS = new Uint8Array(256).fill(255);
for (const [index, char] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries())
  DIGITS[char.charCodeAt(0)] = index;
DIGITS[0x2d] = 62;
DIGITS[0x5f] = 63;

/** Ends at the padding, and skips bytes that are no digits (RFC 2045 6.8). */
class Base64Body implements BodyDecoder {
  #bits = 0;
  #digits = 0;
  #hasEnded = false;

  push(chunk: Uint8Array): Uint8Array {
    const padding = chunk.indexOf(EQUALS);
    const end = this.#hasEnded ? 0 : padding < 0 ? chunk.length : padding;
    this.#hasEnded ||= padding >= 0;
    const out = new Uint8Array(Math.ceil(((end + 3) * 3) / 4));
    let to = 0;
    // Fields are slow in a loop over bytes.
    let bits = this.#bits;
    let digits = this.#digits;
    for (let at = 0; at < end; at++) {
      const digit = DIGITS[chunk[at] as number] as number;
      if (digit > 63) continue;
      bits = (bits << 6) | digit;
      digits = (digits + 1) & 3;
      if (digits > 0) continue;
      out[to++] = bits >> 16;
      out[to++] = bits >> 8;
      out[to++] = bits;
    }
    this.#bits = bits;
    this.#digits = digits;
    return out.subarray(0, to);
  }

  end(): Uint8Array {
    const bits = this.#bits << (6 * (4 - this.#digits));
    const bytes = Uint8Array.of(bits >> 16, bits >> 8).subarray(0, Math.max(0, this.#digits - 1));
    this.#bits = 0;
    this.#digits = 0;
    return bytes;
  }
}

class QuotedPrintableBody implements BodyDecoder {
  /** An `=` at the end of the chunks so far, with what follows it. */
  #pending: Uint8Array = new Uint8Array();

  push(chunk: Uint8Array): Uint8Array {
    const input = concat([this.#pending, chunk]);
    const equals = input.lastIndexOf(EQUALS);
    // An escape has three bytes; a soft line break may have spaces before its end (RFC 2045 6.7).
    const isOpen = equals >= 0 && equals > input.length - 100 && !isComplete(input, equals);
    this.#pending = isOpen ? input.slice(equals) : new Uint8Array();
    return decodeQuotedPrintable(isOpen ? input.subarray(0, equals) : input);
  }

  end(): Uint8Array {
    const left = this.#pending;
    this.#pending = new Uint8Array();
    return decodeQuotedPrintable(left);
  }
}

function isComplete(input: Uint8Array, equals: number): boolean {
  const second = input[equals + 1];
  if (second === SPACE || second === TAB || second === CR) return input.indexOf(LF, equals) >= 0;
  return second === LF || equals + 2 < input.length;
}

/** Decodes in place, since nothing becomes longer: a second buffer would double the garbage of a large body. */
function decodeQuotedPrintable(bytes: Uint8Array): Uint8Array {
  let to = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte !== EQUALS) {
      bytes[to++] = byte;
      continue;
    }
    const next = at + 1 < bytes.length ? (bytes[at + 1] as number) : LF;
    const high = HEX[next] as number;
    const low = high < 0 ? -1 : (HEX[bytes[at + 2] ?? 0] as number);
    if (low >= 0) {
      bytes[to++] = high * 16 + low;
      at += 2;
      continue;
    }
    const soft = next === SPACE || next === TAB || next === CR || next === LF ? afterSoftBreak(bytes, at + 1) : 0;
    if (soft > 0) at = soft - 1;
    else bytes[to++] = byte;
  }
  return bytes.subarray(0, to);
}

/** Returns the index after a soft line break, or 0 when there is none at `at`. The end of the body is one. */
function afterSoftBreak(input: Uint8Array, at: number): number {
  let end = at;
  while (end - at < 100 && (input[end] === SPACE || input[end] === TAB)) end++;
  if (input[end] === CR) return input[end + 1] === LF ? end + 2 : end + 1;
  return input[end] === LF || end >= input.length ? end + 1 : 0;
}

/** Value of each hexadecimal digit; -1 for any other byte. */
const HEX = new Int8Array(256).fill(-1);
for (const [index, char] of [..."0123456789ABCDEFabcdef"].entries())
  HEX[char.charCodeAt(0)] = index < 16 ? index : index - 6;
