const END = Buffer.from("\r\n.\r\n");
/** The final dot and its line end, which are no part of the content. */
const DOT_BYTES = 3;
const HEADER_END = Buffer.from("\r\n\r\n");
const MAX_HEADER_BYTES = 65_536;

/** How much of a message is kept: nothing but its size, the header (up to 64 KB), or everything. */
export type Kept = "size" | "header" | "content";

/** Reads the content of one message up to its final dot. Holds no more than is kept and the last chunk. */
export class ContentReader {
  size = 0;
  readonly #kept: Kept;
  readonly #chunks: Buffer[] = [];
  #isHeaderComplete = false;
  /** The end of what was read, in which the final dot may have begun. An empty message has no line before the dot. */
  #tail: Buffer = Buffer.from("\r\n");

  constructor(kept: Kept) {
    this.#kept = kept;
  }

  /** Reads a chunk. Returns how many of its bytes belong to the message with its final dot, or null when that is to come. */
  read(chunk: Buffer): number | null {
    const joined = Buffer.concat([this.#tail, chunk.subarray(0, END.length)]);
    const atBorder = joined.indexOf(END);
    const end = atBorder >= 0 ? atBorder + END.length - this.#tail.length : this.#endWithin(chunk);
    const taken = end === null ? chunk : chunk.subarray(0, end);
    this.size += end === null ? chunk.length : end - DOT_BYTES;
    this.#keep(taken);
    const last = chunk.length >= END.length ? chunk : Buffer.concat([this.#tail, chunk]);
    this.#tail = Buffer.from(last.subarray(Math.max(0, last.length - END.length + 1)));
    return end;
  }

  /** Returns what was kept, without the dots that the client has added. */
  kept(): Buffer {
    const all = Buffer.concat(this.#chunks);
    const header = this.#kept === "content" ? -1 : headerEnd(all);
    const bytes = all.subarray(0, header >= 0 ? header : Math.max(0, all.length - DOT_BYTES));
    return Buffer.from(bytes.toString("latin1").replace(/(^|\r\n)\./g, "$1"), "latin1");
  }

  #endWithin(chunk: Buffer): number | null {
    const at = chunk.indexOf(END);
    return at < 0 ? null : at + END.length;
  }

  #keep(chunk: Buffer): void {
    if (this.#kept === "size" || this.#isHeaderComplete) return;
    // A copy, because the chunk is a part of a larger buffer.
    this.#chunks.push(Buffer.from(chunk));
    if (this.#kept === "header")
      this.#isHeaderComplete = this.size >= MAX_HEADER_BYTES || headerEnd(Buffer.concat(this.#chunks)) >= 0;
  }
}

/** Returns where the header ends, with its last line end; -1 before that, and when there is no body. */
function headerEnd(bytes: Buffer): number {
  const at = bytes.indexOf(HEADER_END);
  return at >= 0 ? at + 2 : -1;
}
