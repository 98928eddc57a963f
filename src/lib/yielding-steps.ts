/** The most that a step of long work processes before other requests get their turn. */
export interface StepBounds {
  /** Records: messages, rows or calls. */
  rows: number;
  bytes: number;
}

/**
 * Waits for the next turn of the event loop, in which the runtime reads requests and sends responses. Calls of R2, D1 and
 * Durable Objects in the same process resolve without one, so an await of such a call lets no other request begin.
 */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Divides long work into steps that give way to other requests, by rows and bytes: a Worker's clock stands still while it computes. */
export class YieldingSteps {
  readonly #bounds: StepBounds;
  #rows = 0;
  #bytes = 0;

  constructor(bounds: StepBounds) {
    this.#bounds = bounds;
  }

  /** Counts work that was done. Waits for the next turn of the event loop when the step is full. */
  async add(rows: number, bytes: number): Promise<void> {
    this.#rows += rows;
    this.#bytes += bytes;
    if (this.#rows < this.#bounds.rows && this.#bytes < this.#bounds.bytes) return;
    [this.#rows, this.#bytes] = [0, 0];
    await nextTurn();
  }

  /** Yields chunks, and counts the bytes of each after it was processed. */
  async *count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      const bytes = chunk.length;
      yield chunk;
      await this.add(0, bytes);
    }
  }
}

/** Returns bytes in pieces of at most `size`, as views. */
export function* piecesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
