import type { MiddlewareHandler } from "hono";
import { type Fault, tooLarge, unprocessable, unsupportedMediaType } from "../errors.ts";
import { concat } from "../lib/bytes.ts";
import type { AppEnv } from "./env.ts";

/** Greatest body read whole: three copies of it live at once while it is parsed (platform.md 0). */
export const JSON_BODY_LIMIT = 8_000_000;
const MAX_NESTING = 32;

/**
 * Reads a JSON body for the validator behind it: 415 when it is not declared as JSON, 413 past the limit,
 * 422 when it is malformed, nested too deep, or holds NUL or a lone surrogate in any string (decisions 1).
 */
export const jsonBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  const type = c.req.header("Content-Type") ?? "";
  if (!/^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(type)) {
    throw unsupportedMediaType("The body must be sent as application/json");
  }
  const text = await readText(c.req.raw);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw unprocessable([{ loc: ["body"], msg: "The body is not valid JSON", type: "json_invalid" }]);
  }
  const fault = findBadText(body);
  if (fault) throw unprocessable([fault]);
  // Read once, parsed once: what comes behind (the validator, the fingerprint) asks the request again.
  c.req.text = async () => text;
  c.req.json = async <Body>() => body as Body;
  await next();
};

/** The whole body as text, given up as soon as it passes the limit. */
async function readText(request: Request): Promise<string> {
  const refusal = tooLarge(`The body is larger than ${JSON_BODY_LIMIT} bytes`);
  if (Number(request.headers.get("Content-Length") ?? 0) > JSON_BODY_LIMIT) throw refusal;
  if (!request.body) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > JSON_BODY_LIMIT) throw refusal;
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(concat(chunks));
  } catch {
    throw unprocessable([{ loc: ["body"], msg: "The body is not valid UTF-8", type: "json_invalid" }]);
  }
}

/** The first string that no component would read alike, or the place where nesting passes the cap. */
function findBadText(root: unknown): Fault | null {
  const walk = (value: unknown, loc: (string | number)[]): Fault | null => {
    if (typeof value === "string") return badText(value, loc);
    if (typeof value !== "object" || value === null) return null;
    if (loc.length > MAX_NESTING) return { loc, msg: `Nested deeper than ${MAX_NESTING} levels`, type: "too_deep" };
    for (const [key, item] of Object.entries(value)) {
      const place = [...loc, Array.isArray(value) ? Number(key) : key];
      const fault = (Array.isArray(value) ? null : badText(key, place)) ?? walk(item, place);
      if (fault) return fault;
    }
    return null;
  };
  return walk(root, ["body"]);
}

function badText(text: string, loc: (string | number)[]): Fault | null {
  if (text.includes("\0")) return { loc, msg: "NUL is not allowed", type: "string_nul" };
  if (!text.isWellFormed()) return { loc, msg: "Not well-formed Unicode: lone surrogate", type: "string_unicode" };
  return null;
}
