import { CHUNK_BYTES } from "./json-chunks.ts";

/**
 * Joins JSON texts into JSON arrays that each fit into a bound parameter, as `jsonChunks` does for texts that exist already.
 * Each text is copied into a buffer at once: thousands of strings that live until the next D1 call leave the young
 * generation of V8, and their memory is not collected for a long time.
 */
export class JsonChunkWriter {
  readonly #buffer = new Uint8Array(CHUNK_BYTES);
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  #chunks: string[] = [];
  #length = 0;

  /** Adds a text of at most 600,000 UTF-16 units. Throws for a longer one. */
  add(text: string): void {
    // A UTF-16 unit takes at most three bytes in UTF-8; one byte is for the comma, one for the closing bracket.
    if (this.#length + 3 * text.length + 2 > CHUNK_BYTES) this.#endChunk();
    this.#append(this.#length === 0 ? "[" : ",");
    this.#append(text);
  }

  /** Returns the arrays of the texts since the last call; none without texts. */
  take(): string[] {
    this.#endChunk();
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  #endChunk(): void {
    if (this.#length === 0) return;
    this.#append("]");
    this.#chunks.push(this.#decoder.decode(this.#buffer.subarray(0, this.#length)));
    this.#length = 0;
  }

  #append(text: string): void {
    const { read, written } = this.#encoder.encodeInto(text, this.#buffer.subarray(this.#length));
    if (read < text.length)
      throw new RangeError(`a JSON text of ${text.length} characters does not fit into a parameter`);
    this.#length += written;
  }
}
