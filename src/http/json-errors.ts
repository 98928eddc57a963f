import {
  AppError,
  badRequest,
  RequestTooLargeError,
  tooLarge,
  unprocessable,
  type ValidationError,
} from "../lib/errors.ts";
import { type ContentError, ExtractedContent, OversizedString, RefusedContent } from "../lib/json-extract/content.ts";
import {
  AttachmentTooLarge,
  Base64Invalid,
  BodyTooLarge,
  JsonInvalid,
  JsonTooDeep,
  TextInvalid,
} from "../lib/json-extract/errors.ts";

/** Greatest nesting of arrays and objects in a record, and in each item of a list (docs/contract/limits.md#bodies-and-values). */
export const MAX_NESTING = 32;

/**
 * How a route treats an error in its body. In a record any error refuses the request. In a list, NUL, a lone surrogate,
 * nesting or a refused attachment is the error of one item, which is replaced by an InvalidItem.
 */
export type BodyKind = "record" | "list";

/** Replaces an item of a list that has an error. JSON cannot produce one: check with `instanceof`. */
export class InvalidItem {
  readonly error: ValidationError;

  constructor(error: ValidationError) {
    this.error = error;
  }
}

/** Throws 422 for a NUL, a lone surrogate or nesting beyond MAX_NESTING. In a list, an InvalidItem replaces the item with it. */
export function checkJson(body: unknown, kind: BodyKind): void {
  if (kind === "list" && Array.isArray(body)) {
    for (let index = 0; index < body.length; index++) {
      const error = findError(body[index], 1);
      if (error) body[index] = new InvalidItem({ ...error, loc: ["body", index, ...error.loc] });
    }
    return;
  }
  const error = findError(body, 1);
  if (error) throw unprocessable([{ ...error, loc: ["body", ...error.loc] }]);
}

/** Returns the first bytes of a body as text, without a character that they end within. Default: all. Throws 422 when they are not UTF-8. */
export function decode(bytes: Uint8Array, maxBytes = bytes.byteLength): string {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
    return decoder.decode(bytes.subarray(0, maxBytes), { stream: bytes.byteLength > maxBytes });
  } catch {
    throw new InvalidJsonError("The body is not valid UTF-8");
  }
}

/** Parses a body as JSON. Throws 422. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidJsonError();
  }
}

/** Signals a body that is not JSON in UTF-8; becomes a 422. */
export class InvalidJsonError extends AppError {
  constructor(msg = "The body is not valid JSON") {
    super(422, [{ loc: ["body"], msg, type: "json_invalid" }]);
  }
}

/** Converts an error of `extractJson` to the error that the route returns. Returns any other error unchanged. */
export function toAppError(error: unknown): unknown {
  if (error instanceof BodyTooLarge && error.what === "body") return new RequestTooLargeError(error.message);
  if (error instanceof BodyTooLarge || error instanceof AttachmentTooLarge) return tooLarge(error.message);
  if (error instanceof Base64Invalid) return badRequest(`${error.message}: standard alphabet, padded, no data: prefix`);
  if (error instanceof JsonTooDeep) return unprocessable([{ loc: ["body"], msg: error.message, type: "too_deep" }]);
  if (error instanceof JsonInvalid) return new InvalidJsonError();
  if (error instanceof TextInvalid)
    return unprocessable([{ ...toValidationError(error), loc: ["body", ...error.path] }]);
  return error;
}

/** Returns the error of a refused value, whose path its container adds. */
function toValidationError(error: ContentError): ValidationError {
  if (error instanceof JsonTooDeep) return tooDeep;
  if (error instanceof TextInvalid) return { loc: [], msg: error.message, type: `string_${textTypes[error.reason]}` };
  const msg =
    error instanceof Base64Invalid ? "Not valid base64 (standard alphabet, padded, no data: prefix)" : error.message;
  return { loc: [], msg, type: "attachment_refused" };
}

const textTypes = { nul: "nul", surrogate: "unicode" } as const;
const tooDeep: ValidationError = { loc: [], msg: `Nested deeper than ${MAX_NESTING} levels`, type: "too_deep" };

/** Finds the first NUL, lone surrogate, nesting beyond MAX_NESTING or refused value. Only an error gets a path, for speed. */
function findError(value: unknown, depth: number): ValidationError | null {
  if (typeof value === "string") return textError(value);
  if (typeof value !== "object" || value === null) return null;
  if (value instanceof ExtractedContent || value instanceof OversizedString) return null;
  if (value instanceof RefusedContent) return toValidationError(value.error);
  if (depth > MAX_NESTING) return tooDeep;
  return Array.isArray(value) ? findInItems(value, depth) : findInMembers(value as Record<string, unknown>, depth);
}

function findInItems(items: unknown[], depth: number): ValidationError | null {
  for (let index = 0; index < items.length; index++) {
    const error = findError(items[index], depth + 1);
    if (error) return { ...error, loc: [index, ...error.loc] };
  }
  return null;
}

function findInMembers(members: Record<string, unknown>, depth: number): ValidationError | null {
  for (const key in members) {
    const error = textError(key) ?? findError(members[key], depth + 1);
    if (error) return { ...error, loc: [key.toWellFormed(), ...error.loc] };
  }
  return null;
}

function textError(text: string): ValidationError | null {
  if (text.includes("\0")) return { loc: [], msg: "NUL is not allowed", type: "string_nul" };
  if (!text.isWellFormed()) return { loc: [], msg: "Not well-formed Unicode: lone surrogate", type: "string_unicode" };
  return null;
}
