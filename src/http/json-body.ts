import type { Context, MiddlewareHandler } from "hono";
import { type Fault, tooLarge, unprocessable, unsupportedMediaType } from "../errors.ts";
import { concat } from "../lib/bytes.ts";
import { ExtractedContent, RefusedContent } from "../lib/json-extract/content.ts";
import { Base64Invalid } from "../lib/json-extract/errors.ts";
import type { AppEnv } from "./env.ts";

const MAX_NESTING = 32;

/** Greatest body read whole: three copies of it live at once while it is parsed (platform.md 0). */
export const JSON_BODY_LIMIT = 8_000_000;
/** Strings, numbers, lists and so on in a body: far above any honest send, and what memory can bear. */
export const MAX_VALUES = 100_000;
/** The same for a list whose items are judged one by one, each of which has at most MAX_VALUES. */
export const MAX_LIST_VALUES = 250_000;

/**
 * What a body is to its route: one record, where any fault refuses the call; or a list, where NUL, a lone surrogate,
 * nesting or an attachment that cannot be taken is the fault of one item, in whose place an UnreadableItem is left.
 */
export type BodyKind = "record" | "list";

/** Stands in a list for an item that cannot be read. JSON text cannot make one: check with `instanceof`. */
export class UnreadableItem {
  readonly fault: Fault;

  constructor(fault: Fault) {
    this.fault = fault;
  }
}

/**
 * Reads a JSON body for the validator behind it: 415 when it is not declared as JSON, 413 past the limit,
 * 422 when it is malformed, nested too deep, or holds NUL or a lone surrogate in any string (decisions 1).
 */
export const wholeBody =
  (kind: BodyKind): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    requireJsonType(c.req.header("Content-Type"));
    const refusal = tooLarge(`The body is larger than ${JSON_BODY_LIMIT} bytes`);
    if (Number(c.req.header("Content-Length") ?? 0) > JSON_BODY_LIMIT) throw refusal;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of c.req.raw.body ?? []) {
      size += chunk.byteLength;
      if (size > JSON_BODY_LIMIT) throw refusal;
      chunks.push(chunk);
    }
    useWholeBody(c, chunks, kind);
    await next();
  };

/** The same for a body that is one record. */
export const jsonBody = wholeBody("record");

/** For a POST that takes no body: what is sent all the same is not read, and counts for nothing. */
export const noBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  c.req.text = async () => "";
  await next();
};

/** Parses a body that was read whole, and leaves it for what comes behind. Throws 422. */
export function useWholeBody(c: Context<AppEnv>, chunks: readonly Uint8Array[], kind: BodyKind): void {
  const text = decode(chunks);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw unprocessable([{ loc: ["body"], msg: "The body is not valid JSON", type: "json_invalid" }]);
  }
  requireGoodText(body, kind);
  // Read once, parsed once: what comes behind (the validator, the fingerprint) asks the request again.
  c.req.text = async () => text;
  c.req.json = async <Body>() => body as Body;
}

/** Throws 415 for a body that is not declared as JSON; the same pattern that the validator behind it goes by. */
export function requireJsonType(contentType = ""): void {
  const mediaType = contentType.split(";")[0]?.trim() ?? "";
  if (!/^application\/([\w.-]+\+)?json$/i.test(mediaType)) {
    throw unsupportedMediaType("The body must be sent as application/json");
  }
}

/**
 * Throws 422 for a parsed body with a string that no component would read alike or nested too deep, 413 for too many
 * values. In a list that is said of the one item.
 */
export function requireGoodText(body: unknown, kind: BodyKind): void {
  if (kind === "list" && Array.isArray(body)) {
    markUnreadable(body);
    return;
  }
  const { fault, values } = findBadText(body);
  if (values > MAX_VALUES) throw tooManyValues(MAX_VALUES);
  if (fault) throw unprocessable([{ ...fault, loc: ["body", ...fault.loc] }]);
}

function markUnreadable(items: unknown[]): void {
  let sum = 0;
  for (let index = 0; index < items.length; index++) {
    const { fault, values } = findBadText(items[index]);
    sum += values;
    if (sum > MAX_LIST_VALUES) throw tooManyValues(MAX_LIST_VALUES);
    const found = values > MAX_VALUES ? tooMany : fault;
    if (found) items[index] = new UnreadableItem({ ...found, loc: ["body", index, ...found.loc] });
  }
}

const tooMany: Fault = { loc: [], msg: `Holds more than ${MAX_VALUES} values`, type: "too_long" };
const tooManyValues = (limit: number) => tooLarge(`The body holds more than ${limit} values`);

function decode(chunks: readonly Uint8Array[]): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(concat(chunks));
  } catch {
    throw unprocessable([{ loc: ["body"], msg: "The body is not valid UTF-8", type: "json_invalid" }]);
  }
}

/** Why an attachment was refused while it came in, as one sentence. */
export function whyRefused(error: RefusedContent["error"]): string {
  return error instanceof Base64Invalid
    ? `${error.message}: standard alphabet, padded, no data: prefix`
    : error.message;
}

/** The same of one item, whose place is told beside it. */
const whatIsWrong = (error: RefusedContent["error"]) =>
  error instanceof Base64Invalid ? "Not valid base64 (standard alphabet, padded, no data: prefix)" : error.message;

/**
 * The first place with a string that no component would read alike, nesting past the cap, or an attachment that could
 * not be taken; and how many values there are. Looks at millions of values without making anything of them: a path is
 * written down only for a fault.
 */
function findBadText(root: unknown): { fault: Fault | null; values: number } {
  let values = 0;
  const walk = (value: unknown, depth: number): Fault | null => {
    values += 1;
    if (typeof value === "string") return badText(value);
    if (typeof value !== "object" || value === null || value instanceof ExtractedContent) return null;
    if (value instanceof RefusedContent) return { loc: [], msg: whatIsWrong(value.error), type: "attachment_refused" };
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
      const fault = badText(key) ?? walk(members[key], depth + 1);
      if (fault) return { ...fault, loc: [key.toWellFormed(), ...fault.loc] };
    }
    return null;
  };
  return { fault: walk(root, 1), values };
}

function badText(text: string): Fault | null {
  if (text.includes("\0")) return { loc: [], msg: "NUL is not allowed", type: "string_nul" };
  if (!text.isWellFormed()) return { loc: [], msg: "Not well-formed Unicode: lone surrogate", type: "string_unicode" };
  return null;
}
