import type { Context, MiddlewareHandler } from "hono";
import { type Fault, tooLarge, unprocessable, unsupportedMediaType } from "../errors.ts";
import { concat } from "../lib/bytes.ts";
import type { AppEnv } from "./env.ts";

/** Greatest body read whole: three copies of it live at once while it is parsed (platform.md 0). */
export const JSON_BODY_LIMIT = 8_000_000;
const MAX_NESTING = 32;
/** Strings, numbers, lists and so on in a body: far above any honest send, and what memory can bear. */
export const MAX_VALUES = 100_000;

/**
 * Reads a JSON body for the validator behind it: 415 when it is not declared as JSON, 413 past the limit,
 * 422 when it is malformed, nested too deep, or holds NUL or a lone surrogate in any string (decisions 1).
 */
export const jsonBody: MiddlewareHandler<AppEnv> = async (c, next) => {
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
  useWholeBody(c, chunks);
  await next();
};

/** For a POST that takes no body: what is sent all the same is not read, and counts for nothing. */
export const noBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  c.req.text = async () => "";
  await next();
};

/** Parses a body that was read whole, and leaves it for what comes behind. Throws 422. */
export function useWholeBody(c: Context<AppEnv>, chunks: readonly Uint8Array[]): void {
  const text = decode(chunks);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw unprocessable([{ loc: ["body"], msg: "The body is not valid JSON", type: "json_invalid" }]);
  }
  requireGoodText(body);
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

/** Throws 422 for a parsed body with a string that no component would read alike or nested too deep, 413 for too many values. */
export function requireGoodText(body: unknown): void {
  const fault = findBadText(body);
  if (fault) throw unprocessable([fault]);
}

function decode(chunks: readonly Uint8Array[]): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(concat(chunks));
  } catch {
    throw unprocessable([{ loc: ["body"], msg: "The body is not valid UTF-8", type: "json_invalid" }]);
  }
}

/**
 * The first place with a string that no component would read alike, nesting past the cap, or a value too many.
 * Looks at millions of values without making anything of them: a path is written down only for a fault.
 */
function findBadText(root: unknown): Fault | null {
  let values = 0;
  const walk = (value: unknown, depth: number): Fault | null => {
    values += 1;
    if (values > MAX_VALUES) throw tooLarge(`The body holds more than ${MAX_VALUES} values`);
    if (typeof value === "string") return badText(value);
    if (typeof value !== "object" || value === null) return null;
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
  const fault = walk(root, 1);
  return fault && { ...fault, loc: ["body", ...fault.loc] };
}

function badText(text: string): Fault | null {
  if (text.includes("\0")) return { loc: [], msg: "NUL is not allowed", type: "string_nul" };
  if (!text.isWellFormed()) return { loc: [], msg: "Not well-formed Unicode: lone surrogate", type: "string_unicode" };
  return null;
}
