import type { CallerCtx } from "../../context.ts";
import { r2Keys } from "../../db/r2-keys.ts";
import { ExtractedContent } from "../../lib/json-extract/content.ts";
import type { ContentSink, ContentWriter } from "../../lib/json-extract/extract.ts";

/** R2 takes parts of 5 MiB or more, all of one size but the last (R2 limits: multipart). */
const PART_BYTES = 5 * 1024 * 1024;

/** Takes attachments and keeps nothing of them: for a request that only wants to know. */
export const discardingSink: ContentSink & { abort(): Promise<void> } = {
  open: () => ({ write() {}, close() {}, abort() {} }),
  async abort() {},
};

/**
 * Attachments on their way to R2 (while their request is still being read, if it is a large one), one behind the
 * other in one object, which is not there before `finish` and never there after `abort`. Holds one part at most.
 */
export class ContentUpload implements ContentSink {
  readonly key: string;
  /** The email it belongs to, or the batch. */
  readonly id: string;
  readonly #ctx: CallerCtx;
  /** Where each content lies in the object, in octets, by its index. */
  readonly #places: number[] = [];
  #part = new Uint8Array(0);
  #filled = 0;
  #written = 0;
  #upload: R2MultipartUpload | null = null;
  #parts: R2UploadedPart[] = [];

  constructor(ctx: CallerCtx, keyOf: (workspaceId: string, id: string) => string = r2Keys.email) {
    this.#ctx = ctx;
    this.id = ctx.newId();
    this.key = keyOf(ctx.workspace.id, this.id);
  }

  /** Octets taken so far. */
  get size(): number {
    return this.#written;
  }

  open({ index }: { index: number }): ContentWriter {
    this.#places[index] = this.#written;
    return { write: (chunk) => this.#append(chunk), close: () => {}, abort: () => {} };
  }

  /** Takes one attachment, if it did not come in already, and says where it lies. */
  async take(content: Uint8Array | ExtractedContent): Promise<number> {
    if (content instanceof ExtractedContent) return this.#places[content.index] ?? 0;
    const at = this.#written;
    await this.#append(content);
    return at;
  }

  /** Takes a content as it streams in, and says where it lies. */
  async takeStream(content: AsyncIterable<Uint8Array>): Promise<number> {
    const at = this.#written;
    for await (const chunk of content) await this.#append(chunk);
    return at;
  }

  /** Puts `tail` behind the contents and makes the object appear. */
  async finish(tail: Uint8Array): Promise<void> {
    await this.#append(tail);
    const rest = this.#part.subarray(0, this.#filled);
    if (this.#upload === null) {
      await this.#ctx.env.CONTENT.put(this.key, rest);
      return;
    }
    if (this.#filled > 0) await this.#send(this.#upload, rest);
    await this.#upload.complete(this.#parts);
    this.#upload = null;
  }

  /** Forgets what was taken. After `finish` there is nothing left to forget: the object stays. */
  async abort(): Promise<void> {
    const upload = this.#upload;
    this.#upload = null;
    await upload?.abort();
  }

  async #append(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; ) {
      if (this.#filled === PART_BYTES) await this.#sendFull();
      const room = this.#room(Math.min(chunk.byteLength - at, PART_BYTES - this.#filled));
      this.#part.set(chunk.subarray(at, at + room), this.#filled);
      this.#filled += room;
      this.#written += room;
      at += room;
    }
  }

  /** Grows the buffer by doubling, so that a small mail does not pay for a whole part. */
  #room(wanted: number): number {
    const needed = this.#filled + wanted;
    if (needed > this.#part.byteLength) {
      const grown = new Uint8Array(Math.min(PART_BYTES, Math.max(needed, 2 * this.#part.byteLength, 64 * 1024)));
      grown.set(this.#part.subarray(0, this.#filled));
      this.#part = grown;
    }
    return wanted;
  }

  async #sendFull(): Promise<void> {
    this.#upload ??= await this.#ctx.env.CONTENT.createMultipartUpload(this.key);
    await this.#send(this.#upload, this.#part);
    this.#filled = 0;
  }

  async #send(upload: R2MultipartUpload, part: Uint8Array): Promise<void> {
    this.#parts.push(await upload.uploadPart(this.#parts.length + 1, part));
  }
}

/** An upload for all emails of a batch. */
export const batchUpload = (ctx: CallerCtx): ContentUpload => new ContentUpload(ctx, r2Keys.batch);
