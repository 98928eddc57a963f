/** Bytes that are held of a message while it is read, and those of them that must follow the place that is looked at. */
const [WINDOW, AHEAD] = [1_048_576, 524_288];

/**
 * The stretch of a message that is held in memory while the message is read. Places are positions in the message, from
 * `start` to `end`. So reading needs the same memory for a message of any length.
 */
export class MessageWindow {
  #buffer: Uint8Array;
  start = 0;
  end = 0;
  /** True when the message ends at `end`. */
  isLast = false;

  /** Without a message: an empty window for one that arrives piece by piece. */
  constructor(whole?: Uint8Array) {
    this.#buffer = whole ?? new Uint8Array(16_384);
    if (whole) [this.end, this.isLast] = [whole.length, true];
  }

  /** The bytes from `start` to `end`, valid until the window changes. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.end - this.start);
  }

  /** The place up to which enough bytes follow to read a header or a delimiter. */
  get limit(): number {
    return this.isLast ? this.end : Math.max(this.start, this.end - AHEAD);
  }

  get isFull(): boolean {
    return this.end - this.start === WINDOW;
  }

  /** Adds the beginning of a chunk, as much as fits, and returns its length. */
  add(chunk: Uint8Array): number {
    const filled = this.end - this.start;
    const count = Math.min(chunk.length, WINDOW - filled);
    if (filled + count > this.#buffer.length) {
      const larger = new Uint8Array(Math.min(WINDOW, Math.max(filled + count, 4 * this.#buffer.length)));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk.subarray(0, count), filled);
    this.end += count;
    return count;
  }

  /** Drops the bytes before a place. */
  slideTo(place: number): void {
    this.#buffer.copyWithin(0, place - this.start, this.end - this.start);
    this.start = place;
  }
}
