/** Collects bytes for the socket, so that many commands or a whole small message become one write. */
export class WriteBuffer {
  #bytes: Uint8Array = new Uint8Array(0);
  #length = 0;
  readonly #encoder = new TextEncoder();

  /** Bytes not yet taken. */
  get length(): number {
    return this.#length;
  }

  /** Appends `text` as UTF-8. */
  appendText(text: string): void {
    this.#reserve(text.length * 3);
    this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** Lets `write` append at most `maxBytes`: it receives the buffer and an offset and returns the end offset. */
  append(maxBytes: number, write: (out: Uint8Array, offset: number) => number): void {
    this.#reserve(maxBytes);
    this.#length = write(this.#bytes, this.#length);
  }

  /** Returns the collected bytes and starts a new buffer, since the socket reads this one while the next fills. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = new Uint8Array(0);
    this.#length = 0;
    return taken;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(needed, this.#bytes.length * 2, 1_024));
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }
}
