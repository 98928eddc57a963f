import { enlarged } from "../../lib/bytes.ts";
import { type BodyDecoder, newBodyDecoder } from "../mime/body-decoder.ts";

/** Bytes that are decoded at once. */
const SLICE = 65_536;
const LF = 0x0a;

/** Reads the encoded body of a part piece by piece: the size of what it decodes to, and its beginning. */
export class LeafReader {
  readonly #decoder: BodyDecoder;
  readonly #headBytes: number;
  #head: Uint8Array = new Uint8Array(0);
  #filled = 0;
  #count = 0;

  /** Line ends of the encoded body. Undefined: they are not counted. */
  lines: number | undefined;

  /** Keeps the first `headBytes` bytes. */
  constructor(encoding: string, headBytes: number, countsLines: boolean) {
    if (countsLines) this.lines = 0;
    this.#decoder = newBodyDecoder(encoding);
    this.#headBytes = headBytes;
  }

  /** The first bytes of the body, encoded. */
  get head(): Uint8Array {
    return this.#head.subarray(0, this.#filled);
  }

  add(bytes: Uint8Array): void {
    this.#keep(bytes);
    if (this.lines !== undefined) this.lines += countLines(bytes);
    for (let at = 0; at < bytes.length; at += SLICE)
      this.#count += this.#decoder.push(bytes.subarray(at, at + SLICE)).length;
  }

  /** Returns the number of bytes of the decoded body. */
  end(): number {
    return this.#count + this.#decoder.end().length;
  }

  #keep(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, this.#headBytes - this.#filled);
    if (kept.length === 0) return;
    const needed = this.#filled + kept.length;
    if (needed > this.#head.length) this.#head = enlarged(this.#head, needed, this.#headBytes);
    this.#head.set(kept, this.#filled);
    this.#filled = needed;
  }
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === LF) lines += 1;
  return lines;
}
