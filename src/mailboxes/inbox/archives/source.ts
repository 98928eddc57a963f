import { AppError } from "../../../lib/errors.ts";
import { readChunks } from "../../../lib/read-chunks.ts";
import { toReadable } from "../../../lib/readable.ts";
import type { ByteSource } from "../../../lib/zip/reader.ts";
import type { Ctx } from "../../../platform/context.ts";

/** Bytes that are read ahead of a reader that goes through an object in order. */
const AHEAD_BYTES = 1024 * 1024;
/** Bytes of one read of a long range: a read of more keeps a connection open while messages are stored. */
const RANGE_BYTES = 2 * 1024 * 1024;

/** An uploaded archive in R2. Small reads that follow each other are served by one call. Throws 502 when the object cannot be read. */
export class ArchiveSource implements ByteSource {
  readonly size: number;
  readonly #ctx: Ctx;
  readonly #key: string;
  #ahead: { at: number; bytes: Uint8Array } = { at: 0, bytes: new Uint8Array() };

  constructor(ctx: Ctx, key: string, size: number) {
    this.#ctx = ctx;
    this.#key = key;
    this.size = size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (length === 0) return new Uint8Array();
    const { at, bytes } = this.#ahead;
    const isInOrder = offset >= at && offset <= at + bytes.length;
    if (!isInOrder || offset + length > at + bytes.length) {
      // Reading ahead pays only when the next read is near.
      const wanted = Math.min(isInOrder ? Math.max(length, AHEAD_BYTES) : length, this.size - offset);
      const object = await this.#get(offset, wanted);
      this.#ahead = { at: offset, bytes: await object.bytes() };
    }
    const from = offset - this.#ahead.at;
    return this.#ahead.bytes.subarray(from, from + length);
  }

  async stream(offset: number, length: number): Promise<ReadableStream<Uint8Array>> {
    if (length > RANGE_BYTES) return toReadable(this.#ranges(offset, length));
    if (length > AHEAD_BYTES / 2) return (await this.#get(offset, length)).body;
    return new Blob([(await this.read(offset, length)) as Uint8Array<ArrayBuffer>]).stream();
  }

  async *#ranges(offset: number, length: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < length; at += RANGE_BYTES) {
      const { body } = await this.#get(offset + at, Math.min(RANGE_BYTES, length - at));
      // The reader of the stream may keep a chunk.
      for await (const chunk of readChunks(body)) yield chunk.slice();
    }
  }

  async #get(offset: number, length: number): Promise<R2ObjectBody> {
    const object = await this.#ctx.env.CONTENT.get(this.#key, { range: { offset, length } }).catch(() => null);
    if (!object) throw new AppError(502, "The uploaded archive cannot be read; try again");
    return object;
  }
}
