/** Errors of reading a body. Check with `instanceof`; the messages may be sent to the client. */

/** Path of a value: `["attachments", 0, "content_base64"]`, with the index of the item first in a batch. */
export type ContentPath = readonly (string | number)[];

/** Signals a body that is not JSON (RFC 8259) or not UTF-8, or that repeats a key whose first value was extracted. */
export class JsonInvalid extends Error {
  override readonly name = "JsonInvalid";
  /** Offset in bytes of the invalid byte, or of the start of the token that contains it. */
  readonly offset: number;

  constructor(offset: number, reason: string) {
    super(`Invalid JSON at byte ${offset}: ${reason}`);
    this.offset = offset;
  }
}

/** Signals arrays and objects that are nested deeper than `limit`. */
export class JsonTooDeep extends Error {
  override readonly name = "JsonTooDeep";
  readonly limit: number;

  constructor(limit: number) {
    super(`JSON is nested deeper than ${limit} levels`);
    this.limit = limit;
  }
}

/** Signals that the size of the body or of the skeleton (bytes), or the number of JSON values, exceeds `limit`. */
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

/** Signals that the string at `path` is refused. */
export abstract class ContentInvalid extends Error {
  readonly path: ContentPath;

  constructor(path: ContentPath, message: string) {
    super(message);
    this.path = path;
  }
}

/** Signals that the long string at `path` contains NUL or a lone surrogate. */
export class TextInvalid extends ContentInvalid {
  override readonly name = "TextInvalid";
  readonly reason: "nul" | "surrogate";

  constructor(path: ContentPath, reason: "nul" | "surrogate") {
    super(path, reason === "nul" ? "NUL is not allowed" : "Not well-formed Unicode: lone surrogate");
    this.reason = reason;
  }
}

/** Signals that the content at `path` is not valid base64 (`decodeBase64` in lib/bytes.ts has the rules). */
export class Base64Invalid extends ContentInvalid {
  override readonly name = "Base64Invalid";

  constructor(path: ContentPath) {
    super(path, `Invalid base64 at ${path.join(".")}`);
  }
}

/** Signals that the attachment at `path`, or all of the email (`isCombined`), exceed `limit` decoded bytes. */
export class AttachmentTooLarge extends ContentInvalid {
  override readonly name = "AttachmentTooLarge";
  readonly limit: number;
  readonly isCombined: boolean;

  constructor(path: ContentPath, limit: number, isCombined: boolean) {
    super(path, `${isCombined ? "The combined attachments exceed" : "The attachment exceeds"} ${limit} bytes`);
    this.limit = limit;
    this.isCombined = isCombined;
  }
}
