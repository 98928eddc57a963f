/** Values that stand for extracted contents and for refused ones in a body. */

import type { ContentInvalid, ContentPath, JsonTooDeep } from "./errors.ts";

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
export type ContentError = ContentInvalid | JsonTooDeep;

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
