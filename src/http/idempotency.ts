import type { ContentfulStatusCode } from "hono/utils/http-status";
import { uniqueSymbol } from "hono-openapi";
import type { CallerCtx } from "../access/caller.ts";
import { toBase64, utf8 } from "../lib/bytes.ts";
import { AppError, unprocessable } from "../lib/errors.ts";
import { keyedHashes } from "../lib/secret-box.ts";
import { ConcurrencyError } from "../platform/db/batch.ts";
import { findResponse } from "../platform/idempotency/responses.ts";
import type { AppContext, Middleware } from "./env.ts";

/**
 * Returns the middleware that honours Idempotency-Key, and declares it, on a route whose success returns `status`
 * (docs/contract/idempotency.md#idempotency-key). The handler stores its response in the same D1 batch as its writes. Of two concurrent
 * requests with one key, the one that fails with a conflict replays the response of the other. It may fail in the guarded batch
 * (ConcurrencyError), find the new row before (409) or find the old state gone (404), so a stored response is looked up after each of
 * these. An operation whose records were read with the credential writes without looking up its key first, and looks it up after any
 * refusal. `authorize` throws for a caller to whom the response must not be replayed; the scope of the route is checked already.
 */
export function idempotent(
  status: ContentfulStatusCode,
  authorize: (c: AppContext) => Promise<unknown> = async () => {},
): Middleware {
  return Object.assign(honour(status, authorize), { [uniqueSymbol]: { spec: { parameters: [KEY] } } });
}

/** The header in the OpenAPI document. */
const KEY = {
  in: "header",
  name: "Idempotency-Key",
  description:
    "The first successful response is stored for 24 hours and replayed to requests with the same key and body.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  example: "order-1042",
} as const;

function honour(status: ContentfulStatusCode, authorize: (c: AppContext) => Promise<unknown>): Middleware {
  return async (c, next) => {
    const key = c.req.header("Idempotency-Key");
    if (key === undefined) return next();
    if (key.length < 1 || key.length > 255) {
      const msg = `Idempotency-Key is ${key.length} characters; it must be 1 to 255`;
      throw unprocessable([{ loc: ["header", "Idempotency-Key"], msg, type: "value_error" }]);
    }
    await authorize(c);
    const caller = c.get("caller");
    const idempotency = await toIdempotency(caller, key, (await c.get("bodyFingerprint")?.()) ?? "", c);
    const replay = async () => {
      const stored = await findResponse(caller, idempotency);
      if (stored === null) return null;
      c.header("Idempotency-Replayed", "true");
      c.header("Content-Type", "application/json");
      return c.body(stored.body, (stored.status ?? status) as ContentfulStatusCode);
    };
    const looksFirst = caller.early === undefined;
    const replayed = looksFirst ? await replay() : null;
    if (replayed) return replayed;
    c.set("caller", { ...caller, idempotency });
    await next();
    if (!(looksFirst ? isConflict(c.error) : isRefusal(c.error))) return;
    const stored = await replay();
    if (!stored) return;
    c.error = undefined;
    c.res = undefined;
    c.res = stored;
  };
}

/** Returns whether an operation failed with an error that a concurrent request with its key may have caused. */
export const isConflict = (error: unknown) =>
  error instanceof ConcurrencyError || (error instanceof AppError && (error.status === 409 || error.status === 404));

const isRefusal = (error: unknown) => isConflict(error) || (error instanceof AppError && error.status < 500);

/** Returns the key of a request with its fingerprint. `body` is a text that is equal for equal bodies only. */
export async function toIdempotency({ settings: { masterKeys } }: CallerCtx, key: string, body: string, c: AppContext) {
  return {
    keys: await keyedHashes(masterKeys, "idempotency-key", key),
    fingerprint: await fingerprintOf(c, body),
    sealingKeys: () => keyedHashes(masterKeys, "idempotent-answer", key),
  };
}

/** Request headers that change the meaning of a request. */
const MEANINGFUL_HEADERS = ["X-Batch-Mode", "X-Batch-Validation"];

/** Returns the SHA-256, in base64, of method, path, MEANINGFUL_HEADERS and body (docs/contract/idempotency.md#idempotency-key). */
async function fingerprintOf(c: AppContext, body: string): Promise<string> {
  const headers = MEANINGFUL_HEADERS.flatMap((name) => {
    const value = c.req.header(name)?.trim().toLowerCase();
    return value ? [`${name}: ${value}\n`] : [];
  });
  const text = utf8(`${c.req.method} ${c.req.path}\n${headers.join("")}${body}`);
  return toBase64(new Uint8Array(await crypto.subtle.digest("SHA-256", text)));
}
