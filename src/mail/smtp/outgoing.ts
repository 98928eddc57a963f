/** Octets on their way to the socket, gathered so that many commands or a whole small mail become one write. */
export class Outgoing {
  #bytes: Uint8Array = new Uint8Array(0);
  #length = 0;
  readonly #encoder = new TextEncoder();

  get length(): number {
    return this.#length;
  }

  /** Appends a text as UTF-8. */
  text(text: string): void {
    this.#reserve(text.length * 3);
    this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** Lets `fill` write at most `room` octets: it gets the buffer and a position and returns where it ended. */
  fill(room: number, fill: (out: Uint8Array, at: number) => number): void {
    this.#reserve(room);
    this.#length = fill(this.#bytes, this.#length);
  }

  /** Hands over what was gathered. The caller owns it: the socket reads it while the next octets are gathered. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = new Uint8Array(0);
    this.#length = 0;
    return taken;
  }

  #reserve(room: number): void {
    const needed = this.#length + room;
    if (needed <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(needed, this.#bytes.length * 2, 1_024));
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }
}
