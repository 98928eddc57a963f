/** Incremental base64 decoder. lib/base64-stream.ts states the rules. */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const INVALID = 64;
const PAD = 0x3d;

/** Six bits per character; INVALID for bytes outside the alphabet. */
const BITS = new Uint8Array(256).fill(INVALID);
for (let i = 0; i < ALPHABET.length; i++) BITS[ALPHABET.charCodeAt(i)] = i;

/** Decodes into `bytes`, of which `length` are filled. The caller empties the buffer before it overflows. */
export class Base64Decoder {
  bytes: Uint8Array;
  length = 0;
  /** The incomplete group of four: its characters so far, their bits, and how many of them were padding. */
  #count = 0;
  #bits = 0;
  #padding = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Returns whether the text may end here, with no incomplete group. */
  get isComplete(): boolean {
    return this.#count === 0;
  }

  /** Starts another text with the same buffer. */
  reset(): void {
    this.length = this.#count = this.#bits = this.#padding = 0;
  }

  /**
   * Decodes the complete groups of four that are in the alphabet and fit into the buffer (fast path). Returns where it
   * stopped, which is `from` when a group is incomplete or after padding.
   */
  decodeGroups(data: Uint8Array, from: number): number {
    if (this.#count > 0 || this.#padding > 0) return from;
    const out = this.bytes;
    const end = Math.min(data.length, from + Math.floor((out.length - this.length) / 3) * 4) - 3;
    let at = from;
    let to = this.length;
    for (; at < end; at += 4) {
      const a = BITS[data[at] as number] as number;
      const b = BITS[data[at + 1] as number] as number;
      const c = BITS[data[at + 2] as number] as number;
      const d = BITS[data[at + 3] as number] as number;
      if ((a | b | c | d) >= INVALID) break;
      out[to] = (a << 2) | (b >> 4);
      out[to + 1] = (b << 4) | (c >> 2);
      out[to + 2] = (c << 6) | d;
      to += 3;
    }
    this.length = to;
    return at;
  }

  /** Decodes one character (slow path). Returns false when the text is not valid base64. */
  decodeCharacter(code: number): boolean {
    const isPad = code === PAD;
    const bits = isPad ? 0 : code < 256 ? (BITS[code] as number) : INVALID;
    if (bits === INVALID || (isPad ? this.#count < 2 : this.#padding > 0)) return false;
    if (isPad) this.#padding++;
    this.#bits = (this.#bits << 6) | bits;
    this.#count++;
    return this.#count < 4 || this.#endGroup();
  }

  #endGroup(): boolean {
    const size = 3 - this.#padding;
    const isCanonical = (this.#bits & ((1 << (8 * this.#padding)) - 1)) === 0;
    for (let i = 0; i < size; i++) this.bytes[this.length++] = this.#bits >> (16 - 8 * i);
    this.#count = this.#bits = 0;
    return isCanonical;
  }
}
