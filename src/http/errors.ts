import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AppError, conflict } from "../lib/errors.ts";
import { ConcurrencyError } from "../platform/db/batch.ts";
import { findSetupIssue } from "../platform/settings/setting-issues.ts";
import type { AppContext } from "./env.ts";

/**
 * Turns an error into a response: `{"detail": …}` (docs/contract/errors.md#bodies-of-errors), with `code` and `blockers` where
 * the error has them. An unexpected error is logged with its stack and becomes a 500 with a fixed text, or a 503 that names what the
 * deployment lacks.
 */
export function onError(error: Error, c: AppContext): Response {
  if (error instanceof AppError) return toResponse(c, error);
  if (error instanceof ConcurrencyError)
    return toResponse(c, conflict("Another request changed this resource at the same time; try again"));
  if (error instanceof HTTPException) return c.json({ detail: error.message || "Bad request" }, error.status);
  c.get("ctx").log("request.failed", { stack: error.stack ?? String(error) });
  const issue = findSetupIssue(c.env, error);
  if (issue !== null) return c.json({ detail: `The service is not set up. ${issue}` }, 503);
  // Most of these errors are a D1 or R2 that is overloaded for a moment, and every call is safe to repeat.
  c.header("Retry-After", "1");
  return c.json({ detail: "Internal Server Error" }, 500);
}

function toResponse(c: AppContext, error: AppError): Response {
  const { code, blockers, headers = {}, challenge } = error.extra;
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (error.status === 401 || challenge) c.header("WWW-Authenticate", toChallenge(c, challenge));
  return c.json({ detail: error.detail, code, blockers }, error.status as ContentfulStatusCode);
}

/** Returns WWW-Authenticate with the URL of the metadata (RFC 6750 3, RFC 9728 5.1): at PUBLIC_URL, since callers choose the Host. */
function toChallenge(c: AppContext, { error, scope }: { error?: string; scope?: string } = {}): string {
  const path = c.req.path === "/mcp" ? "/mcp" : "";
  const metadata = `${c.get("ctx").settings.publicUrl}/.well-known/oauth-protected-resource${path}`;
  const parameters = Object.entries({ resource_metadata: metadata, error, scope });
  const present = parameters.filter(([, value]) => value !== undefined);
  return `Bearer ${present.map(([name, value]) => `${name}="${value}"`).join(", ")}`;
}
