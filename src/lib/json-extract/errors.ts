/** Why a body was refused. Callers tell them apart with `instanceof`; messages are fit for the wire. */

/** Where a content stood: `["attachments", 0, "content_base64"]`, with the item's index in front in a batch. */
export type ContentPath = readonly (string | number)[];

/** Not JSON (RFC 8259), not UTF-8, or a key repeated where the first value had been taken out already. */
export class JsonInvalid extends Error {
  override readonly name = "JsonInvalid";
  /** In bytes from the start of the body: the offending byte, or the start of the token or part of it that holds it. */
  readonly offset: number;

  constructor(offset: number, reason: string) {
    super(`Invalid JSON at byte ${offset}: ${reason}`);
    this.offset = offset;
  }
}

/** More arrays and objects inside each other than `limit`. */
export class JsonTooDeep extends Error {
  override readonly name = "JsonTooDeep";
  readonly limit: number;

  constructor(limit: number) {
    super(`JSON is nested deeper than ${limit} levels`);
    this.limit = limit;
  }
}

/** The body, the skeleton (bytes both) or the number of values in it is above `limit`. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
  readonly what: "body" | "skeleton" | "values";
  readonly limit: number;

  constructor(what: "body" | "skeleton" | "values", limit: number) {
    super(
      what === "body"
        ? `The request body exceeds ${limit} bytes`
        : `The request body without its attachments exceeds ${limit} ${what === "skeleton" ? "bytes" : "values"}`,
    );
    this.what = what;
    this.limit = limit;
  }
}

/** The content at `path` is not base64 (rules in lib/base64-stream.ts). */
export class Base64Invalid extends Error {
  override readonly name = "Base64Invalid";
  readonly path: ContentPath;

  constructor(path: ContentPath) {
    super(`Invalid base64 at ${path.join(".")}`);
    this.path = path;
  }
}

/** With the content at `path`, one attachment, or all of one email together (`isCombined`), exceed `limit` decoded bytes. */
export class AttachmentTooLarge extends Error {
  override readonly name = "AttachmentTooLarge";
  readonly path: ContentPath;
  readonly limit: number;
  readonly isCombined: boolean;

  constructor(path: ContentPath, limit: number, isCombined: boolean) {
    super(`${isCombined ? "The combined attachments exceed" : "The attachment exceeds"} ${limit} bytes`);
    this.path = path;
    this.limit = limit;
    this.isCombined = isCombined;
  }
}
