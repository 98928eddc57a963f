import type { CallerCtx } from "../../context.ts";
import { r2Keys } from "../../db/r2-keys.ts";
import { utf8, utf8Into } from "../../lib/bytes.ts";
import { ExtractedContent } from "../../lib/json-extract/content.ts";
import type { ContentSink, ContentWriter } from "../../lib/json-extract/extract.ts";

/** R2 takes parts of 5 MiB or more, all of one size but the last (R2 limits: multipart). */
const PART_BYTES = 5 * 1024 * 1024;

/** What an upload needs of a context: the workspace alone is known before the caller is. */
type UploadCtx = Pick<CallerCtx, "env" | "newId"> & { workspace: Pick<CallerCtx["workspace"], "id"> };

/** Drops every attachment, for a request that is validated and not stored. */
export const discardingSink: ContentSink & { abort(): Promise<void> } = {
  open: () => ({ write() {}, close() {}, abort() {} }),
  async abort() {},
};

/**
 * Uploads attachments to R2 as one object, one after the other; of a large request while its body is still being read.
 * The object exists only after `finish`, and never after `abort`. Holds at most one part in memory.
 */
export class ContentUpload implements ContentSink {
  readonly key: string;
  /** Id of the email or batch whose content it is. */
  readonly id: string;
  readonly #ctx: UploadCtx;
  /** Offset of each extracted content in the object, in octets, by its index. */
  readonly #offsets: number[] = [];
  #part = new Uint8Array(0);
  #filled = 0;
  #written = 0;
  #upload: R2MultipartUpload | null = null;
  #parts: R2UploadedPart[] = [];

  constructor(ctx: UploadCtx, keyOf: (workspaceId: string, id: string) => string = r2Keys.email) {
    this.#ctx = ctx;
    this.id = ctx.newId();
    this.key = keyOf(ctx.workspace.id, this.id);
  }

  /** Octets received so far. */
  get size(): number {
    return this.#written;
  }

  open({ index }: { index: number }): ContentWriter {
    this.#offsets[index] = this.#written;
    return { write: (chunk) => this.#append(chunk), close: () => {}, abort: () => {} };
  }

  /** Appends an attachment, unless it was uploaded while the body was read. Returns its offset in octets. */
  async store(content: Uint8Array | ExtractedContent): Promise<number> {
    if (content instanceof ExtractedContent) return this.#offsets[content.index] ?? 0;
    const offset = this.#written;
    await this.#append(content);
    return offset;
  }

  /** Appends a text in UTF-8. Returns its offset and size in octets. */
  async storeText(text: string): Promise<{ offset: number; size: number }> {
    const offset = this.#written;
    // A UTF-16 unit takes at most three bytes in UTF-8.
    const most = 3 * text.length;
    if (this.#filled + most > PART_BYTES) await this.#append(utf8(text));
    else {
      this.#reserve(most);
      const size = utf8Into(text, this.#part.subarray(this.#filled));
      this.#filled += size;
      this.#written += size;
    }
    return { offset, size: this.#written - offset };
  }

  /** Appends an attachment from a stream. Returns its offset in octets. */
  async storeStream(content: AsyncIterable<Uint8Array>): Promise<number> {
    const offset = this.#written;
    for await (const chunk of content) await this.#append(chunk);
    return offset;
  }

  /** Appends `tail` and completes the object. */
  async finish(tail: Uint8Array): Promise<void> {
    await this.#append(tail);
    const lastPart = this.#part.subarray(0, this.#filled);
    if (this.#upload === null) {
      await this.#ctx.env.CONTENT.put(this.key, lastPart);
      return;
    }
    if (this.#filled > 0) await this.#uploadPart(this.#upload, lastPart);
    await this.#upload.complete(this.#parts);
    this.#upload = null;
  }

  /** Deletes the uploaded parts. After `finish` it does nothing, and the object stays. */
  async abort(): Promise<void> {
    const upload = this.#upload;
    this.#upload = null;
    await upload?.abort();
  }

  async #append(chunk: Uint8Array): Promise<void> {
    for (let offset = 0; offset < chunk.byteLength; ) {
      if (this.#filled === PART_BYTES) await this.#uploadFullPart();
      const size = Math.min(chunk.byteLength - offset, PART_BYTES - this.#filled);
      this.#reserve(size);
      this.#part.set(chunk.subarray(offset, offset + size), this.#filled);
      this.#filled += size;
      this.#written += size;
      offset += size;
    }
  }

  /** Grows the buffer by doubling, so that a small email does not allocate a whole part. */
  #reserve(size: number): void {
    const needed = this.#filled + size;
    if (needed <= this.#part.byteLength) return;
    const grown = new Uint8Array(Math.min(PART_BYTES, Math.max(needed, 2 * this.#part.byteLength, 64 * 1024)));
    grown.set(this.#part.subarray(0, this.#filled));
    this.#part = grown;
  }

  async #uploadFullPart(): Promise<void> {
    this.#upload ??= await this.#ctx.env.CONTENT.createMultipartUpload(this.key);
    await this.#uploadPart(this.#upload, this.#part);
    this.#filled = 0;
  }

  async #uploadPart(upload: R2MultipartUpload, part: Uint8Array): Promise<void> {
    this.#parts.push(await upload.uploadPart(this.#parts.length + 1, part));
  }
}

/** Returns an upload for the content of a whole batch. */
export const batchUpload = (ctx: CallerCtx): ContentUpload => new ContentUpload(ctx, r2Keys.batch);
