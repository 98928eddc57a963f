/** Checks a long JSON string piece by piece and encodes it in UTF-8, so that it is never in memory as a whole. */

import { type ContentPath, TextInvalid } from "./errors.ts";

export class LongText {
  readonly path: ContentPath;
  /** UTF-8 bytes so far. */
  size = 0;
  /** A high surrogate at the end of the last piece; its low surrogate begins the next one. */
  #high = "";

  constructor(path: ContentPath) {
    this.path = path;
  }

  /** Yields the UTF-8 bytes of the next piece. Throws TextInvalid for NUL and for a lone surrogate. */
  *read(piece: string): Generator<Uint8Array> {
    let text = this.#high + piece;
    this.#high = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : "";
    if (this.#high !== "") text = text.slice(0, -1);
    if (text.includes("\0")) throw new TextInvalid(this.path, "nul");
    if (!text.isWellFormed()) throw new TextInvalid(this.path, "surrogate");
    const bytes = new TextEncoder().encode(text);
    this.size += bytes.byteLength;
    if (bytes.byteLength > 0) yield bytes;
  }

  /** Ends the string. Throws TextInvalid for a high surrogate at its end. */
  end(): readonly Uint8Array[] {
    if (this.#high !== "") throw new TextInvalid(this.path, "surrogate");
    return [];
  }
}
