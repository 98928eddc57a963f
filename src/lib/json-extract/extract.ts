/**
 * Parses a large JSON body (an email or a batch of emails) while it streams in. The `content_base64` of each attachment
 * goes to a sink in decoded chunks, and each long `html` or `text` in UTF-8; the rest becomes the value that `JSON.parse`
 * returns. Besides that value it needs about 200 KiB: one write buffer, one chunk of the source, the incomplete string.
 */

import { concat } from "../bytes.ts";
import { Base64Text } from "./base64-text.ts";
import { ExtractedContent, OversizedString, RefusedContent } from "./content.ts";
import { BodyTooLarge, ContentInvalid, type ContentPath } from "./errors.ts";
import { LongText } from "./long-text.ts";
import type { ExtractOptions } from "./options.ts";
import { Tokenizer } from "./tokenizer.ts";
import { Tree } from "./tree.ts";

/** Receives contents, one at a time. An error that a method throws ends the parse and is rethrown. */
export interface ContentSink {
  /** Opens the content with number `index`, counted from 0. May throw to refuse it. */
  open(content: { index: number; path: ContentPath }): ContentWriter | Promise<ContentWriter>;
}

/** Receives one content. Each call is awaited before reading continues; `close` or `abort` is called once at the end. */
export interface ContentWriter {
  /** Takes bytes, of an attachment WRITE_BYTES (48 KiB) except the last time. The writer owns the buffer. Not called for an empty one. */
  write(chunk: Uint8Array): void | Promise<void>;
  /** Ends a complete content; `size` in bytes. */
  close(size: number): void | Promise<void>;
  /** Ends an incomplete content; `reason` is the error. Errors thrown here are ignored. */
  abort(reason: unknown): void | Promise<void>;
}

/** Greatest length of a string where no other is given, in UTF-16 units. */
export const DEFAULT_STRING = 65_536;

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
  maxSkeleton: 40_000_000,
  maxValues: 250_000,
  maxString: DEFAULT_STRING,
  maxInlineText: 16_384,
  maxDepth: 32,
  maxContent: 24 * 1024 * 1024,
  maxCombined: 24 * 1024 * 1024,
  errors: "throw",
  extracts: true,
  contentField: "content_base64",
  onHeld: () => {},
};

/**
 * Reads all of `source`, UTF-8 with or without a byte order mark, in chunks of any size. No chunk is used after the next
 * one is requested, as `readChunks` requires. Strings at `attachments[i].content_base64`, and long ones at `html`
 * and `text`, of an object and of each object in an array, go to `sink`.
 *
 * Accepts what `JSON.parse` accepts (RFC 8259), and of equal keys keeps the last. Exception: repeating `content_base64`
 * or `attachments` after a content was extracted is JsonInvalid, because the content cannot be taken back.
 *
 * Throws JsonInvalid, JsonTooDeep, BodyTooLarge, Base64Invalid, AttachmentTooLarge, TextInvalid, and the errors of source and sink.
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
  #contents: ExtractedContent[] = [];
  /** Number of bytes received, and the bytes of an incomplete token at the end of the last chunk. */
  #size = 0;
  #rest = new Uint8Array();
  /** The long string being read. */
  #text: LongText | Base64Text | null = null;
  /** The writer of it, when it goes to the sink, and the number of those that were opened. */
  #writer: ContentWriter | null = null;
  #opened = 0;
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
    const data = this.#rest.length === 0 ? chunk : concat([this.#rest, chunk]);
    const base = this.#size - this.#rest.length;
    this.#size += chunk.length;
    if (this.#size > this.#limits.maxBody) throw new BodyTooLarge("body", this.#limits.maxBody);
    for (let at = 0; ; ) {
      const from = at;
      const { state } = this.#tokenizer;
      if (state === "long-string") at = await this.#longString(data, at, base);
      else at = this.#tokenizer.run(data, at, base);
      if (this.#tokenizer.skeletonBytes > this.#limits.maxSkeleton)
        throw new BodyTooLarge("skeleton", this.#limits.maxSkeleton);
      const isStuck = at === from && state === this.#tokenizer.state;
      if (isStuck || (at === data.length && this.#tokenizer.state !== "long-string")) {
        this.#rest = data.slice(at);
        return this.#limits.onHeld(this.#tree.heldBytes);
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

  /** Reads a long string up to its end or the end of `data`. A content, and the html or text of an email, go to the sink. */
  async #longString(data: Uint8Array, from: number, base: number): Promise<number> {
    const text = this.#text ?? (await this.#open());
    let at = from;
    for (;;) {
      try {
        await this.#write(text.read(this.#tokenizer.takeText()));
        if (this.#tokenizer.isLongStringDone) {
          await this.#write(text.end());
          await this.#close(text);
          return at;
        }
      } catch (error) {
        if (!(error instanceof ContentInvalid)) throw error;
        return this.#refuse(error, at);
      }
      const next = this.#tokenizer.readLongString(data, at, base);
      if (next === at) return at;
      at = next;
    }
  }

  async #open(): Promise<LongText | Base64Text> {
    const { path, expectsContent, expectsText } = this.#tree;
    const item = path.length > 3 ? path[0] : undefined;
    if (item !== this.#item) this.#combined = 0;
    this.#item = item;
    this.#text = expectsContent ? new Base64Text(path, this.#limits, this.#combined) : new LongText(path);
    if (expectsContent || expectsText) this.#writer = await this.#sink.open({ index: this.#opened++, path });
    return this.#text;
  }

  async #write(pieces: Iterable<Uint8Array>): Promise<void> {
    for (const bytes of pieces) await this.#writer?.write(bytes);
  }

  async #close(text: LongText | Base64Text): Promise<void> {
    const { path, size } = text;
    const writer = this.#writer;
    this.#writer = null;
    this.#text = null;
    if (writer === null) return this.#tokenizer.endLongString(new OversizedString(size, this.#limits.maxString));
    await writer.close(size);
    if (text instanceof Base64Text) this.#combined += size;
    const content = new ExtractedContent(this.#opened - 1, path, size);
    this.#contents.push(content);
    this.#tokenizer.endLongString(content);
  }

  /** Replaces a long string that has an error, and discards the rest of it. Returns the first unused byte. */
  async #refuse(error: ContentInvalid, at: number): Promise<number> {
    if (this.#limits.errors === "throw") throw error;
    const isDone = this.#tokenizer.isLongStringDone;
    this.#text = null;
    await this.abort(error);
    this.#tokenizer.discardLongString(new RefusedContent(error.path, error));
    // The closing quote is already read; discarding reads it again.
    return isDone ? at - 1 : at;
  }
}
