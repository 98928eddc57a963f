import { type AppError, badRequest, type Fault, RequestTooLargeError, tooLarge, unprocessable } from "../lib/errors.ts";
import { type ContentFault, ExtractedContent, OversizedString, RefusedContent } from "../lib/json-extract/content.ts";
import {
  AttachmentTooLarge,
  Base64Invalid,
  BodyTooLarge,
  JsonInvalid,
  JsonTooDeep,
  TextInvalid,
} from "../lib/json-extract/errors.ts";

/**
 * Greatest nesting of arrays and objects in a record, and in each item of a list (docs/contract/limits.md#bodies-and-values).
 */
export const MAX_NESTING = 32;

/**
 * How a route treats a fault in its body. In a record any fault refuses the request. In a list, NUL, a lone surrogate,
 * nesting or a refused attachment is the fault of one item, which is replaced by an InvalidItem.
 */
export type BodyKind = "record" | "list";

/** Replaces an item of a list that has a fault. JSON cannot produce one: check with `instanceof`. */
export class InvalidItem {
  readonly fault: Fault;

  constructor(fault: Fault) {
    this.fault = fault;
  }
}

/**
 * Checks a parsed body. Throws 422 for NUL, a lone surrogate or nesting beyond MAX_NESTING. In a list, the item with the
 * fault is replaced by an InvalidItem instead.
 */
export function checkJson(body: unknown, kind: BodyKind): void {
  if (kind === "list" && Array.isArray(body)) {
    for (let index = 0; index < body.length; index++) {
      const fault = findFault(body[index], 1);
      if (fault) body[index] = new InvalidItem({ ...fault, loc: ["body", index, ...fault.loc] });
    }
    return;
  }
  const fault = findFault(body, 1);
  if (fault) throw unprocessable([{ ...fault, loc: ["body", ...fault.loc] }]);
}

/** Returns the 422 of a body that is not JSON. */
export const invalidJson = (msg: string): AppError => unprocessable([{ loc: ["body"], msg, type: "json_invalid" }]);

/** Converts an error of `extractJson` to the error that the route answers. Returns any other error unchanged. */
export function toAppError(error: unknown): unknown {
  if (error instanceof BodyTooLarge && error.what === "body") return new RequestTooLargeError(error.message);
  if (error instanceof BodyTooLarge || error instanceof AttachmentTooLarge) return tooLarge(error.message);
  if (error instanceof Base64Invalid) return badRequest(`${error.message}: standard alphabet, padded, no data: prefix`);
  if (error instanceof JsonTooDeep) return unprocessable([{ loc: ["body"], msg: error.message, type: "too_deep" }]);
  if (error instanceof JsonInvalid) return invalidJson("The body is not valid JSON");
  if (error instanceof TextInvalid) return unprocessable([{ ...toFault(error), loc: ["body", ...error.path] }]);
  return error;
}

/** Returns the fault of a refused value, whose path its container adds. */
function toFault(error: ContentFault): Fault {
  if (error instanceof JsonTooDeep) return tooDeep;
  if (error instanceof TextInvalid) return { loc: [], msg: error.message, type: `string_${textTypes[error.reason]}` };
  const msg =
    error instanceof Base64Invalid ? "Not valid base64 (standard alphabet, padded, no data: prefix)" : error.message;
  return { loc: [], msg, type: "attachment_refused" };
}

const textTypes = { nul: "nul", surrogate: "unicode" } as const;
const tooDeep: Fault = { loc: [], msg: `Nested deeper than ${MAX_NESTING} levels`, type: "too_deep" };

/**
 * Finds the first NUL, lone surrogate, nesting beyond MAX_NESTING or refused value. Builds a path only for a fault, so
 * that 250,000 values allocate nothing.
 */
function findFault(value: unknown, depth: number): Fault | null {
  if (typeof value === "string") return textFault(value);
  if (typeof value !== "object" || value === null) return null;
  if (value instanceof ExtractedContent || value instanceof OversizedString) return null;
  if (value instanceof RefusedContent) return toFault(value.error);
  if (depth > MAX_NESTING) return tooDeep;
  return Array.isArray(value) ? findInItems(value, depth) : findInMembers(value as Record<string, unknown>, depth);
}

function findInItems(items: unknown[], depth: number): Fault | null {
  for (let index = 0; index < items.length; index++) {
    const fault = findFault(items[index], depth + 1);
    if (fault) return { ...fault, loc: [index, ...fault.loc] };
  }
  return null;
}

function findInMembers(members: Record<string, unknown>, depth: number): Fault | null {
  for (const key in members) {
    const fault = textFault(key) ?? findFault(members[key], depth + 1);
    if (fault) return { ...fault, loc: [key.toWellFormed(), ...fault.loc] };
  }
  return null;
}

function textFault(text: string): Fault | null {
  if (text.includes("\0")) return { loc: [], msg: "NUL is not allowed", type: "string_nul" };
  if (!text.isWellFormed()) return { loc: [], msg: "Not well-formed Unicode: lone surrogate", type: "string_unicode" };
  return null;
}
