import type { CallerCtx } from "../../../access/caller.ts";
import { ExtractedContent } from "../../../lib/json-extract/content.ts";
import type { ContentSink, ContentWriter } from "../../../lib/json-extract/extract.ts";
import { ObjectUpload } from "../../../platform/db/object-upload.ts";
import { r2Keys } from "../../../platform/db/r2-keys.ts";

/** The part of a context that an upload needs: the workspace alone is known before the caller is. */
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
  readonly #upload: ObjectUpload;
  /** Offset of each extracted content in the object, in bytes, by its index. */
  readonly #offsets: number[] = [];

  constructor(ctx: UploadCtx, keyOf: (workspaceId: string, id: string) => string = r2Keys.email) {
    this.id = ctx.newId();
    this.key = keyOf(ctx.workspace.id, this.id);
    this.#upload = new ObjectUpload(ctx.env.CONTENT, this.key);
  }

  /** Bytes received so far. */
  get size(): number {
    return this.#upload.size;
  }

  open({ index }: { index: number }): ContentWriter {
    this.#offsets[index] = this.size;
    return { write: (chunk) => this.#upload.append(chunk), close: () => {}, abort: () => {} };
  }

  /** Appends an attachment, unless it was uploaded while the body was read. Returns its offset in bytes. */
  async store(content: Uint8Array | ExtractedContent): Promise<number> {
    if (content instanceof ExtractedContent) return this.#offsets[content.index] ?? 0;
    const offset = this.size;
    await this.#upload.append(content);
    return offset;
  }

  /** Appends a text in UTF-8. Returns its offset and size in bytes. */
  async storeText(text: string): Promise<{ offset: number; size: number }> {
    const offset = this.size;
    await this.#upload.appendText(text);
    return { offset, size: this.size - offset };
  }

  /** Appends an attachment from a stream. Returns its offset in bytes. */
  async storeStream(content: AsyncIterable<Uint8Array>): Promise<number> {
    const offset = this.size;
    for await (const chunk of content) await this.#upload.append(chunk);
    return offset;
  }

  /** Appends `tail` and completes the object. */
  async finish(tail: Uint8Array): Promise<void> {
    await this.#upload.append(tail);
    await this.#upload.finish();
  }

  /** Deletes the uploaded parts. After `finish` it does nothing, and the object stays. */
  abort(): Promise<void> {
    return this.#upload.abort();
  }
}

/** Returns an upload for the content of a whole batch. */
export const batchUpload = (ctx: CallerCtx): ContentUpload => new ContentUpload(ctx, r2Keys.batch);
