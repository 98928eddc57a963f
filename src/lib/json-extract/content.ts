/** Placeholders for extracted contents, and the reader that decodes a content while it streams. */

import { Base64Decoder } from "./base64.ts";
import type { AttachmentTooLarge, Base64Invalid, ContentPath, JsonTooDeep, TextInvalid } from "./errors.ts";
import { JsonInvalid } from "./errors.ts";
import { escapeSize, readEscape } from "./strings.ts";

/** Decoded bytes in each write to a sink except the last: 48 KiB, which is 64 KiB of base64. */
export const WRITE_BYTES = 49_152;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;

/** Replaces a content that went to the sink. JSON cannot produce one: check with `instanceof`. */
export class ExtractedContent {
  /** The number passed to `open` of the sink, from 0 in order of appearance. */
  readonly index: number;
  readonly path: ContentPath;
  /** Bytes: of an attachment the decoded ones, of a text its UTF-8. */
  readonly size: number;

  constructor(index: number, path: ContentPath, size: number) {
    this.index = index;
    this.path = path;
    this.size = size;
  }
}

/** The error of one value. */
export type ContentError = Base64Invalid | AttachmentTooLarge | TextInvalid | JsonTooDeep;

/** Replaces a string longer than `ExtractOptions.maxString` that is no content: no field accepts it. */
export class OversizedString {
  /** UTF-8 bytes. */
  readonly size: number;
  readonly limit: number;

  constructor(size: number, limit: number) {
    this.size = size;
    this.limit = limit;
  }
}

/** Replaces a refused value when errors are kept (`ExtractOptions.errors`). */
export class RefusedContent {
  readonly path: ContentPath;
  readonly error: ContentError;

  constructor(path: ContentPath, error: ContentError) {
    this.path = path;
    this.error = error;
  }
}

/** State of a reader: needs bytes, needs its buffer emptied, reached the closing quote, or found invalid base64. */
export type ContentState = "reading" | "full" | "ended" | "invalid";

/** Decodes the base64 of one JSON string after another. Reading starts after the opening quote. */
export class ContentReader {
  state: ContentState = "reading";
  #decoder = new Base64Decoder(WRITE_BYTES);

  /** Number of decoded bytes in the buffer. */
  get bufferedBytes(): number {
    return this.#decoder.length;
  }

  start(): void {
    this.#decoder.reset();
    this.state = "reading";
  }

  /** Returns the decoded bytes and empties the buffer. The reader does not write to the result again. */
  takeBuffer(): Uint8Array {
    const { bytes, length } = this.#decoder;
    this.#decoder.length = 0;
    if (length < bytes.length) return bytes.slice(0, length);
    this.#decoder.bytes = new Uint8Array(WRITE_BYTES);
    return bytes;
  }

  /**
   * Reads from `from` and returns the first unused byte, which is before the end of `data` when `state` is no longer
   * "reading" or an escape continues in the next chunk. `base` is the offset of `data` in the body. Throws JsonInvalid.
   */
  read(data: Uint8Array, from: number, base: number): number {
    this.state = "reading";
    let at = from;
    while (at < data.length) {
      at = this.#decoder.decodeGroups(data, at);
      if (this.#decoder.length > WRITE_BYTES - 3) this.state = "full";
      if (at === data.length || this.state === "full") return at;
      const byte = data[at] as number;
      if (byte === QUOTE) {
        this.state = this.#decoder.isComplete ? "ended" : "invalid";
        return this.state === "ended" ? at + 1 : at;
      }
      if (byte < 0x20) throw new JsonInvalid(base + at, "control character in a string");
      const size = byte === BACKSLASH ? escapeSize(data, at) : 1;
      if (at + size > data.length) return at;
      if (!this.#decoder.decodeCharacter(byte === BACKSLASH ? escaped(data, at, size, base) : byte)) {
        this.state = "invalid";
        return at;
      }
      at += size;
    }
    return at;
  }
}

/** Reads an escape. `\/` has a fast path, because PHP escapes every slash. */
function escaped(data: Uint8Array, at: number, size: number, base: number): number {
  return data[at + 1] === SLASH ? SLASH : readEscape(data, at, size, base);
}
