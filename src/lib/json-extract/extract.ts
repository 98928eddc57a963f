/**
 * Parses a large JSON body (an email or a batch of emails) while it streams in. The `content_base64` of each attachment
 * goes to a sink in decoded chunks; the rest becomes the value that `JSON.parse` returns. Besides that value it needs
 * about 100 KiB: one write buffer, one chunk of the source, the incomplete string.
 */

import { ContentReader, ExtractedContent, RefusedContent } from "./content.ts";
import type { ContentPath } from "./errors.ts";
import { AttachmentTooLarge, Base64Invalid, BodyTooLarge } from "./errors.ts";
import { Tokenizer } from "./tokenizer.ts";
import { Tree } from "./tree.ts";

/** Receives contents, one at a time. An error that a method throws ends the parse and is rethrown. */
export interface ContentSink {
  /** Opens the content with number `index`, counted from 0. May throw to refuse it. */
  open(content: { index: number; path: ContentPath }): ContentWriter | Promise<ContentWriter>;
}

/** Receives one content. Each call is awaited before reading continues; `close` or `abort` is called once at the end. */
export interface ContentWriter {
  /** Takes decoded bytes: WRITE_BYTES (48 KiB) except the last time. The writer owns the buffer. Not called when empty. */
  write(chunk: Uint8Array): void | Promise<void>;
  /** Ends a complete content; `size` in bytes. */
  close(size: number): void | Promise<void>;
  /** Ends an incomplete content; `reason` is the error. Errors thrown here are ignored. */
  abort(reason: unknown): void | Promise<void>;
}

/** All sizes in bytes. */
export interface ExtractOptions {
  /** The whole body. Default 40 MB. */
  maxBody?: number;
  /** The body without its contents. Default 8 MB. */
  maxSkeleton?: number;
  /** JSON values in the skeleton, which bounds the memory of many small values. Default 500,000. */
  maxValues?: number;
  /** Nesting of arrays and objects. Default 32. */
  maxDepth?: number;
  /** One content, decoded. Default 24 MiB. */
  maxContent?: number;
  /** The contents of one email, decoded. Default 24 MiB. */
  maxCombined?: number;
  /**
   * Handling of a content that is invalid or too large: "throw" ends the parse; "keep" aborts its writer, puts a
   * RefusedContent in the skeleton and continues, for a batch, where it is the error of one item only.
   */
  faults?: "throw" | "keep";
}

/** Result of `extractJson`. */
export interface Extracted {
  /** The value of `JSON.parse`, with an ExtractedContent or RefusedContent in place of each content. */
  skeleton: unknown;
  /** Complete contents, in order. */
  contents: ExtractedContent[];
  /** Bytes of the body. */
  size: number;
}

const DEFAULTS: Required<ExtractOptions> = {
  maxBody: 40_000_000,
  maxSkeleton: 8_000_000,
  maxValues: 500_000,
  maxDepth: 32,
  maxContent: 24 * 1024 * 1024,
  maxCombined: 24 * 1024 * 1024,
  faults: "throw",
};

/**
 * Reads all of `source`, UTF-8 with or without a byte order mark, in chunks of any size. No chunk is used after the next
 * one is requested, as `bodyChunks` requires. Strings at `attachments[i].content_base64` of an object, and of each
 * object in an array, go to `sink`.
 *
 * Accepts what `JSON.parse` accepts (RFC 8259), and of equal keys keeps the last. Exception: repeating `content_base64`
 * or `attachments` after a content was extracted is JsonInvalid, because the content cannot be taken back.
 *
 * Throws JsonInvalid, JsonTooDeep, BodyTooLarge, Base64Invalid, AttachmentTooLarge, and the errors of source and sink.
 * Before that it aborts the open writer and cancels `source`. The caller deletes the contents that were complete.
 */
export async function extractJson(
  source: AsyncIterable<Uint8Array>,
  sink: ContentSink,
  options: ExtractOptions = {},
): Promise<Extracted> {
  const extraction = new Extraction(sink, { ...DEFAULTS, ...options });
  try {
    for await (const chunk of source) await extraction.add(chunk);
    return extraction.finish();
  } catch (error) {
    await extraction.abort(error);
    throw error;
  }
}

class Extraction {
  readonly #sink: ContentSink;
  readonly #limits: Required<ExtractOptions>;
  readonly #tree: Tree;
  readonly #tokenizer: Tokenizer;
  #reader = new ContentReader();
  #contents: ExtractedContent[] = [];
  /** Number of bytes received, and the bytes of an incomplete token at the end of the last chunk. */
  #size = 0;
  #rest = new Uint8Array();
  /** The open content: its writer, its number, its path, the bytes written. */
  #writer: ContentWriter | null = null;
  #opened = 0;
  #path: ContentPath = [];
  #written = 0;
  /** Decoded bytes of the complete contents of the current email, and the index of that email in a batch. */
  #combined = 0;
  #item: string | number | undefined;

  constructor(sink: ContentSink, limits: Required<ExtractOptions>) {
    this.#sink = sink;
    this.#limits = limits;
    this.#tree = new Tree(limits);
    this.#tokenizer = new Tokenizer(this.#tree);
  }

  async add(chunk: Uint8Array): Promise<void> {
    const data = joined(this.#rest, chunk);
    const base = this.#size - this.#rest.length;
    this.#size += chunk.length;
    if (this.#size > this.#limits.maxBody) throw new BodyTooLarge("body", this.#limits.maxBody);
    for (let at = 0; ; ) {
      const from = at;
      const { state } = this.#tokenizer;
      if (state === "content") at = await this.#content(data, at, base);
      else at = this.#tokenizer.run(data, at, base);
      if (this.#tokenizer.skeletonBytes > this.#limits.maxSkeleton)
        throw new BodyTooLarge("skeleton", this.#limits.maxSkeleton);
      if (at === data.length || (at === from && state === this.#tokenizer.state)) {
        this.#rest = data.slice(at);
        return;
      }
    }
  }

  finish(): Extracted {
    this.#tokenizer.finish(this.#size - this.#rest.length);
    return { skeleton: this.#tree.root, contents: this.#contents, size: this.#size };
  }

  async abort(reason: unknown): Promise<void> {
    const writer = this.#writer;
    this.#writer = null;
    try {
      await writer?.abort(reason);
    } catch {
      // `reason` is the error to report.
    }
  }

  /** Reads a content up to its end or the end of `data`. */
  async #content(data: Uint8Array, from: number, base: number): Promise<number> {
    if (this.#writer === null) await this.#open();
    let at = from;
    do {
      at = this.#reader.read(data, at, base);
      const fault = this.#fault();
      if (fault) {
        await this.#refuse(fault);
        return this.#reader.state === "ended" ? at - 1 : at;
      }
      if (this.#reader.state !== "reading") await this.#flush();
    } while (this.#reader.state === "full");
    if (this.#reader.state === "ended") await this.#close();
    return at;
  }

  async #open(): Promise<void> {
    this.#path = this.#tree.path;
    this.#written = 0;
    const item = this.#path.length > 3 ? this.#path[0] : undefined;
    if (item !== this.#item) this.#combined = 0;
    this.#item = item;
    this.#reader.start();
    this.#writer = await this.#sink.open({ index: this.#opened++, path: this.#path });
  }

  async #flush(): Promise<void> {
    const chunk = this.#reader.takeBuffer();
    this.#written += chunk.length;
    if (chunk.length > 0) await this.#writer?.write(chunk);
  }

  async #close(): Promise<void> {
    const writer = this.#writer;
    this.#writer = null;
    await writer?.close(this.#written);
    this.#combined += this.#written;
    const content = new ExtractedContent(this.#opened - 1, this.#path, this.#written);
    this.#contents.push(content);
    this.#tokenizer.endContent(content);
  }

  #fault(): Base64Invalid | AttachmentTooLarge | null {
    const { maxContent, maxCombined } = this.#limits;
    const size = this.#written + this.#reader.bufferedBytes;
    if (size > maxContent) return new AttachmentTooLarge(this.#path, maxContent, false);
    if (this.#combined + size > maxCombined) return new AttachmentTooLarge(this.#path, maxCombined, true);
    return this.#reader.state === "invalid" ? new Base64Invalid(this.#path) : null;
  }

  async #refuse(fault: Base64Invalid | AttachmentTooLarge): Promise<void> {
    if (this.#limits.faults === "throw") throw fault;
    await this.abort(fault);
    this.#tokenizer.discardContent(new RefusedContent(this.#path, fault));
  }
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  if (head.length === 0) return tail;
  const data = new Uint8Array(head.length + tail.length);
  data.set(head);
  data.set(tail, head.length);
  return data;
}
