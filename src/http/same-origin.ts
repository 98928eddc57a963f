import { forbidden } from "../lib/errors.ts";
import type { AppContext } from "./env.ts";

/**
 * Returns where a request comes from: `same` origin, another one (`cross`), or `unknown` when the client sent neither
 * Sec-Fetch-Site nor Origin, as programs do. Sec-Fetch-Site decides, because no page can set it (Fetch Metadata, 2.3).
 */
export function sourceOf(
  { origin, secFetchSite }: { origin: string | undefined; secFetchSite: string | undefined },
  ownOrigins: readonly string[],
): "same" | "cross" | "unknown" {
  if (secFetchSite !== undefined) return secFetchSite === "same-origin" ? "same" : "cross";
  if (origin === undefined) return "unknown";
  return ownOrigins.includes(origin) ? "same" : "cross";
}

/**
 * Throws 403 unless a request that may change state comes from a page of this service
 * (docs/contract/requests.md#cross-origin-calls). For requests that a cookie authenticates.
 */
export function requireSameOrigin(c: AppContext): void {
  if (isSafe(c.req.method) || readSource(c) === "same") return;
  throw forbidden("A request with a session cookie that changes state must have a same-origin Origin header");
}

/**
 * Throws 403 for a request that a browser sends from a page of another site. For sign-in, where no cookie
 * authenticates the request: another site must not sign a visitor in to its own account.
 */
export function refuseCrossSite(c: AppContext): void {
  if (!isSafe(c.req.method) && readSource(c) === "cross") throw forbidden("Requests from other sites are refused");
}

/**
 * Throws 403 for a WebSocket that a page of another site opens: browsers ask no server before they do (RFC 6455 10.2). One
 * that a cookie authenticates must come from a page of this service.
 */
export function requireOwnPage(c: AppContext, hasCookie: boolean): void {
  const source = readSource(c);
  if (source === "cross" || (hasCookie && source !== "same"))
    throw forbidden("A WebSocket can be opened from pages of this service only");
}

const isSafe = (method: string) => method === "GET" || method === "HEAD";

function readSource(c: AppContext) {
  const own = [new URL(c.req.url).origin, new URL(c.get("ctx").settings.publicUrl).origin];
  return sourceOf({ origin: c.req.header("Origin"), secFetchSite: c.req.header("Sec-Fetch-Site") }, own);
}
