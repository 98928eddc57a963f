/** What stands in the skeleton where a content was, and the reader that decodes a content in passing. */

import { Base64Decoder } from "./base64.ts";
import type { AttachmentTooLarge, Base64Invalid, ContentPath } from "./errors.ts";
import { JsonInvalid } from "./errors.ts";
import { escapeSize, readEscape } from "./strings.ts";

/** Decoded bytes in each write to a sink but the last: 48 KiB, 64 KiB of base64. */
export const WRITE_BYTES = 49_152;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;

/** Stands for a content that went to the sink. JSON text cannot make one: check with `instanceof`. */
export class ExtractedContent {
  /** The number given to the sink's `open`, from 0 in order of appearance. */
  readonly index: number;
  readonly path: ContentPath;
  /** Decoded bytes. */
  readonly size: number;

  constructor(index: number, path: ContentPath, size: number) {
    this.index = index;
    this.path = path;
    this.size = size;
  }
}

/** Stands for a content that was refused, when faults are kept (`ExtractOptions.faults`). */
export class RefusedContent {
  readonly path: ContentPath;
  readonly error: Base64Invalid | AttachmentTooLarge;

  constructor(path: ContentPath, error: Base64Invalid | AttachmentTooLarge) {
    this.path = path;
    this.error = error;
  }
}

/** Where a reader stands: wants bytes, wants its buffer emptied, met the closing quote, or met what is not base64. */
export type ContentState = "reading" | "full" | "ended" | "invalid";

/** Decodes the base64 of one JSON string after another, from behind the opening quote. */
export class ContentReader {
  state: ContentState = "reading";
  #decoder = new Base64Decoder(WRITE_BYTES);

  /** Decoded bytes waiting in the buffer. */
  get waiting(): number {
    return this.#decoder.length;
  }

  begin(): void {
    this.#decoder.reset();
    this.state = "reading";
  }

  /** Hands over what waits in the buffer; the reader does not touch it again. */
  take(): Uint8Array {
    const { bytes, length } = this.#decoder;
    this.#decoder.length = 0;
    if (length < bytes.length) return bytes.slice(0, length);
    this.#decoder.bytes = new Uint8Array(WRITE_BYTES);
    return bytes;
  }

  /**
   * Reads from `from` on and returns the first byte not used, which lies before the end of `data` when `state`
   * is no longer "reading", or when an escape needs the next chunk. Throws JsonInvalid; `base` is the offset of `data`.
   */
  read(data: Uint8Array, from: number, base: number): number {
    this.state = "reading";
    let at = from;
    while (at < data.length) {
      at = this.#decoder.groups(data, at);
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
      if (!this.#decoder.push(byte === BACKSLASH ? escaped(data, at, size, base) : byte)) {
        this.state = "invalid";
        return at;
      }
      at += size;
    }
    return at;
  }
}

/** `\/` is what PHP writes for every slash, so it has its own way. */
function escaped(data: Uint8Array, at: number, size: number, base: number): number {
  return data[at + 1] === SLASH ? SLASH : readEscape(data, at, size, base);
}
