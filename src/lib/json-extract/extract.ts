/**
 * Reads a large JSON body (an email, or a batch of them) as it streams in: each attachment's `content_base64`
 * goes to a sink in decoded chunks, the rest becomes the value that `JSON.parse` would have made of it.
 * Besides that value it holds some 100 KiB: one write buffer, one chunk of the source, the open string.
 */

import { ContentReader, ExtractedContent, RefusedContent } from "./content.ts";
import type { ContentPath } from "./errors.ts";
import { AttachmentTooLarge, Base64Invalid, BodyTooLarge } from "./errors.ts";
import { Tokenizer } from "./tokenizer.ts";
import { Tree } from "./tree.ts";

/** Where contents go. One is open at a time. What a call throws ends the parse and reaches its caller. */
export interface ContentSink {
  /** `index` counts up from 0. May throw, to refuse. */
  open(content: { index: number; path: ContentPath }): ContentWriter | Promise<ContentWriter>;
}

/** Takes one content. Each call is awaited before the body is read on; exactly one of `close` and `abort` ends it. */
export interface ContentWriter {
  /** Decoded bytes, WRITE_BYTES (48 KiB) each time but the last; the buffer is the writer's to keep. None for empty content. */
  write(chunk: Uint8Array): void | Promise<void>;
  /** The content is whole; `size` in bytes. */
  close(size: number): void | Promise<void>;
  /** The content will not be whole: `reason` is what went wrong. What this throws is ignored. */
  abort(reason: unknown): void | Promise<void>;
}

/** All sizes in bytes. */
export interface ExtractOptions {
  /** The whole body. Default 40 MB. */
  maxBody?: number;
  /** The body but for its contents. Default 8 MB. */
  maxSkeleton?: number;
  /** Values of any kind in the skeleton, which bounds the memory that many small ones take. Default 500,000. */
  maxValues?: number;
  /** Arrays and objects inside each other. Default 32. */
  maxDepth?: number;
  /** One content, decoded. Default 24 MiB. */
  maxContent?: number;
  /** The contents of one email, decoded. Default 24 MiB. */
  maxCombined?: number;
  /**
   * What becomes of a content that is not base64 or too large: "throw" ends the parse; "keep" aborts that writer,
   * puts a RefusedContent in the skeleton and reads on, for a batch, where it is that item's error only.
   */
  faults?: "throw" | "keep";
}

/** What is left of a body whose contents are taken out. */
export interface Extracted {
  /** As `JSON.parse` makes it, with an ExtractedContent (or RefusedContent) in place of each content. */
  skeleton: unknown;
  /** Contents that were closed, in order. */
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
 * Reads the whole of `source`, UTF-8 with or without a byte order mark, split anywhere; a chunk is not kept
 * past the next, so `bodyChunks` is the source for a request. Strings at
 * `attachments[i].content_base64` of an object, and of each object in an array, go to `sink`.
 *
 * Accepts what `JSON.parse` accepts (RFC 8259), last of equal keys included, except when a later key would drop
 * a content already handed over: `content_base64` or `attachments` repeated is JsonInvalid then.
 *
 * Throws JsonInvalid, JsonTooDeep, BodyTooLarge, Base64Invalid, AttachmentTooLarge, and what source or sink
 * throw. Before it throws, it aborts the open writer and cancels `source`; deleting what was closed already is
 * for the caller, whose sink knows it.
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
  /** Bytes arrived, and the last few of them, which wait for the next chunk. */
  #size = 0;
  #rest = new Uint8Array();
  /** The open content: its writer, its number, its place, what was written of it. */
  #writer: ContentWriter | null = null;
  #opened = 0;
  #path: ContentPath = [];
  #written = 0;
  /** Decoded bytes of the contents of one email that are done, and which email of the batch that is. */
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
      if (this.#tokenizer.held > this.#limits.maxSkeleton) throw new BodyTooLarge("skeleton", this.#limits.maxSkeleton);
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
      // The reason of the abort is the error that counts.
    }
  }

  /** Reads on in a content, as far as `data` or the content goes. */
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
    this.#reader.begin();
    this.#writer = await this.#sink.open({ index: this.#opened++, path: this.#path });
  }

  async #flush(): Promise<void> {
    const chunk = this.#reader.take();
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
    const size = this.#written + this.#reader.waiting;
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
