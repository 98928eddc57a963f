import { forbidden } from "../lib/errors.ts";
import type { AppContext } from "./env.ts";

/** Returns where a request comes from. Sec-Fetch-Site decides, which no page can set (Fetch Metadata, 2.3). `unknown`: a program. */
export function sourceOf(
  { origin, secFetchSite }: { origin: string | undefined; secFetchSite: string | undefined },
  ownOrigins: readonly string[],
): "same" | "cross" | "unknown" {
  if (secFetchSite !== undefined) return secFetchSite === "same-origin" ? "same" : "cross";
  if (origin === undefined) return "unknown";
  return ownOrigins.includes(origin) ? "same" : "cross";
}

/** Throws 403 unless a change that a cookie authenticates comes from an own page (docs/contract/requests.md#cross-origin-calls). */
export function requireSameOrigin(c: AppContext): void {
  if (isSafe(c.req.method) || readSource(c) === "same") return;
  throw forbidden("A request with a session cookie that changes state must have a same-origin Origin header");
}

/** Throws 403 for a change that a page of another site sends: it must not sign a visitor in to its own account. */
export function refuseCrossSite(c: AppContext): void {
  if (!isSafe(c.req.method) && readSource(c) === "cross") throw forbidden("Requests from other sites are refused");
}

/** Throws 403 for a WebSocket of another site's page (RFC 6455 10.2). With a cookie it must come from a page of this service. */
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
