import { utf8, utf8Into } from "../../lib/bytes.ts";
import { repeatObjectCall } from "./repeat-object-call.ts";

/** R2 takes parts of 5 MiB or more, all of one size but the last (R2 limits: multipart). */
const PART_BYTES = 5 * 1024 * 1024;

/**
 * Writes an R2 object piece by piece: one put when it is small, else an upload in parts. The object exists only after `finish`, and
 * never after `abort`. Holds at most one part in memory.
 */
export class ObjectUpload {
  readonly key: string;
  readonly #bucket: R2Bucket;
  #part = new Uint8Array(0);
  #filled = 0;
  #size = 0;
  #upload: R2MultipartUpload | null = null;
  readonly #parts: R2UploadedPart[] = [];

  constructor(bucket: R2Bucket, key: string) {
    this.#bucket = bucket;
    this.key = key;
  }

  /** Bytes received so far. */
  get size(): number {
    return this.#size;
  }

  /** Adds bytes, which may change afterwards. */
  async append(chunk: Uint8Array): Promise<void> {
    for (let offset = 0; offset < chunk.byteLength; ) {
      if (this.#filled === PART_BYTES) await this.#uploadFullPart();
      const size = Math.min(chunk.byteLength - offset, PART_BYTES - this.#filled);
      this.#reserve(size);
      this.#part.set(chunk.subarray(offset, offset + size), this.#filled);
      this.#filled += size;
      this.#size += size;
      offset += size;
    }
  }

  /** Adds a text in UTF-8. */
  async appendText(text: string): Promise<void> {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    const most = 3 * text.length;
    if (this.#filled + most > PART_BYTES) return this.append(utf8(text));
    this.#reserve(most);
    const size = utf8Into(text, this.#part.subarray(this.#filled));
    this.#filled += size;
    this.#size += size;
  }

  /** Completes the object. */
  async finish(): Promise<void> {
    const lastPart = this.#part.subarray(0, this.#filled);
    if (this.#upload === null) {
      await repeatObjectCall(() => this.#bucket.put(this.key, lastPart));
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

  /** Grows the buffer by doubling, so that a small object does not allocate a whole part. */
  #reserve(size: number): void {
    const needed = this.#filled + size;
    if (needed <= this.#part.byteLength) return;
    const grown = new Uint8Array(Math.min(PART_BYTES, Math.max(needed, 2 * this.#part.byteLength, 64 * 1024)));
    grown.set(this.#part.subarray(0, this.#filled));
    this.#part = grown;
  }

  async #uploadFullPart(): Promise<void> {
    this.#upload ??= await repeatObjectCall(() => this.#bucket.createMultipartUpload(this.key));
    await this.#uploadPart(this.#upload, this.#part);
    this.#filled = 0;
  }

  async #uploadPart(upload: R2MultipartUpload, part: Uint8Array): Promise<void> {
    const number = this.#parts.length + 1;
    this.#parts.push(await repeatObjectCall(() => upload.uploadPart(number, part)));
  }
}
