import type { Context, MiddlewareHandler } from "hono";
import { type Fault, tooLarge, unprocessable, unsupportedMediaType } from "../errors.ts";
import { concat } from "../lib/bytes.ts";
import { ExtractedContent, RefusedContent } from "../lib/json-extract/content.ts";
import { Base64Invalid } from "../lib/json-extract/errors.ts";
import type { AppEnv } from "./env.ts";

const MAX_NESTING = 32;

/** Greatest body that is buffered, in bytes. Three copies of it are in memory while it is parsed. */
export const JSON_BODY_LIMIT = 8_000_000;
/** Greatest number of JSON values in a record, which bounds the memory of the parsed body. */
export const MAX_VALUES = 100_000;
/** Greatest number of JSON values in a list. Each item has at most MAX_VALUES. */
export const MAX_LIST_VALUES = 250_000;

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
 * Returns the middleware that buffers and parses a JSON body for the validator after it (decisions 1). Throws 415 when
 * the body is not declared as JSON, 413 beyond JSON_BODY_LIMIT, 422 when it is malformed, nested too deeply, or has NUL
 * or a lone surrogate in any string.
 */
export const bufferedBody =
  (kind: BodyKind): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    requireJsonType(c);
    const refusal = tooLarge(`The body is larger than ${JSON_BODY_LIMIT} bytes`);
    if (Number(c.req.header("Content-Length") ?? 0) > JSON_BODY_LIMIT) throw refusal;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of c.req.raw.body ?? []) {
      size += chunk.byteLength;
      if (size > JSON_BODY_LIMIT) throw refusal;
      chunks.push(chunk);
    }
    parseBody(c, chunks, kind);
    await next();
  };

/** Reads a JSON body that is one record. */
export const jsonBody = bufferedBody("record");

/** Ignores the body of a route that takes none: it is neither read nor part of the fingerprint. */
export const noBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  c.set("bodyFingerprint", async () => "");
  await next();
};

/** Parses a buffered body and passes it to the validator and to the fingerprint. Throws 422 and 413. */
export function parseBody(c: Context<AppEnv>, chunks: readonly Uint8Array[], kind: BodyKind): void {
  const text = decode(chunks);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw unprocessable([{ loc: ["body"], msg: "The body is not valid JSON", type: "json_invalid" }]);
  }
  checkJson(body, kind);
  c.set("bodyFingerprint", async () => text);
  // Hono's validator reads the body by c.req.json; the stream is consumed already.
  c.req.json = async <Body>() => body as Body;
}

/**
 * Throws 415 for a body that is not declared as JSON, or that is compressed (decisions 1). The pattern is the one of
 * Hono's JSON validator.
 */
export function requireJsonType(c: Context<AppEnv>): void {
  const contentType = c.req.header("Content-Type");
  const mediaType = contentType?.split(";")[0]?.trim() ?? "";
  if (!/^application\/([\w.-]+\+)?json$/i.test(mediaType)) {
    const problem = contentType ? `Content-Type is ${mediaType}` : "The Content-Type header is missing";
    throw unsupportedMediaType(`${problem}; the body must be application/json`);
  }
  const encoding = c.req.header("Content-Encoding")?.trim().toLowerCase() || "identity";
  if (encoding !== "identity")
    throw unsupportedMediaType(`Content-Encoding is ${encoding}; send the body uncompressed`);
}

/**
 * Checks a parsed body. Throws 422 for NUL, a lone surrogate or nesting beyond MAX_NESTING, 413 for too many values. In
 * a list, the item with the fault is replaced by an InvalidItem instead.
 */
export function checkJson(body: unknown, kind: BodyKind): void {
  if (kind === "list" && Array.isArray(body)) {
    checkItems(body);
    return;
  }
  const { fault, values } = findFault(body);
  if (values > MAX_VALUES) throw tooManyValues(MAX_VALUES);
  if (fault) throw unprocessable([{ ...fault, loc: ["body", ...fault.loc] }]);
}

function checkItems(items: unknown[]): void {
  let sum = 0;
  for (let index = 0; index < items.length; index++) {
    const { fault, values } = findFault(items[index]);
    sum += values;
    if (sum > MAX_LIST_VALUES) throw tooManyValues(MAX_LIST_VALUES);
    const found = values > MAX_VALUES ? tooMany : fault;
    if (found) items[index] = new InvalidItem({ ...found, loc: ["body", index, ...found.loc] });
  }
}

const tooMany: Fault = { loc: [], msg: `The item has more than ${MAX_VALUES} JSON values`, type: "too_long" };
const tooManyValues = (limit: number) => tooLarge(`The body has more than ${limit} JSON values`);

function decode(chunks: readonly Uint8Array[]): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(concat(chunks));
  } catch {
    throw unprocessable([{ loc: ["body"], msg: "The body is not valid UTF-8", type: "json_invalid" }]);
  }
}

/** Returns the error message of a refused attachment, with its path. */
export function contentErrorMessage(error: RefusedContent["error"]): string {
  return error instanceof Base64Invalid
    ? `${error.message}: standard alphabet, padded, no data: prefix`
    : error.message;
}

/** Returns the message of a fault whose `loc` has the path. */
const contentFaultMessage = (error: RefusedContent["error"]) =>
  error instanceof Base64Invalid ? "Not valid base64 (standard alphabet, padded, no data: prefix)" : error.message;

/**
 * Finds the first NUL, lone surrogate, nesting beyond MAX_NESTING or refused attachment, and counts the values. Builds a
 * path only for a fault, so that millions of values allocate nothing.
 */
function findFault(root: unknown): { fault: Fault | null; values: number } {
  let values = 0;
  const walk = (value: unknown, depth: number): Fault | null => {
    values += 1;
    if (typeof value === "string") return textFault(value);
    if (typeof value !== "object" || value === null || value instanceof ExtractedContent) return null;
    if (value instanceof RefusedContent)
      return { loc: [], msg: contentFaultMessage(value.error), type: "attachment_refused" };
    if (depth > MAX_NESTING) return { loc: [], msg: `Nested deeper than ${MAX_NESTING} levels`, type: "too_deep" };
    return Array.isArray(value) ? walkItems(value, depth) : walkMembers(value as Record<string, unknown>, depth);
  };
  const walkItems = (items: unknown[], depth: number): Fault | null => {
    for (let index = 0; index < items.length; index++) {
      const fault = walk(items[index], depth + 1);
      if (fault) return { ...fault, loc: [index, ...fault.loc] };
    }
    return null;
  };
  const walkMembers = (members: Record<string, unknown>, depth: number): Fault | null => {
    for (const key in members) {
      const fault = textFault(key) ?? walk(members[key], depth + 1);
      if (fault) return { ...fault, loc: [key.toWellFormed(), ...fault.loc] };
    }
    return null;
  };
  return { fault: walk(root, 1), values };
}

function textFault(text: string): Fault | null {
  if (text.includes("\0")) return { loc: [], msg: "NUL is not allowed", type: "string_nul" };
  if (!text.isWellFormed()) return { loc: [], msg: "Not well-formed Unicode: lone surrogate", type: "string_unicode" };
  return null;
}
