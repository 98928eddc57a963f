import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ConcurrencyError } from "../db/batch.ts";
import { AppError, conflict } from "../errors.ts";
import type { AppEnv } from "./env.ts";

/**
 * The one place where an error becomes a response: `{"detail": …}` (decisions 1), with `code` and `blockers`
 * where a verb gave them. What nobody expected is logged with its stack and answered with a fixed text.
 */
export function onError(error: Error, c: Context<AppEnv>): Response {
  if (error instanceof AppError) return toResponse(c, error);
  if (error instanceof ConcurrencyError)
    return toResponse(c, conflict("Somebody else changed it at the same moment; try again"));
  if (error instanceof HTTPException) return c.json({ detail: error.message || "Bad request" }, error.status);
  c.get("ctx").log("request.failed", { stack: error.stack ?? String(error) });
  // Most such errors are a database or a store that is busy for a moment, and every call may be repeated.
  c.header("Retry-After", "1");
  return c.json({ detail: "Internal Server Error" }, 500);
}

function toResponse(c: Context<AppEnv>, error: AppError): Response {
  const { code, blockers, headers = {} } = error.extra;
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (error.status === 401) c.header("WWW-Authenticate", challenge(c));
  return c.json({ detail: error.detail, code, blockers }, error.status as ContentfulStatusCode);
}

/** RFC 6750 3 and RFC 9728 5.1: where a client learns how to get a token. */
function challenge(c: Context<AppEnv>): string {
  const metadata = new URL("/.well-known/oauth-protected-resource", c.req.url);
  return `Bearer resource_metadata="${metadata.href}"`;
}
