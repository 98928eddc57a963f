import { isApiKey } from "../access/accounts/api-key.ts";
import { authenticateApiKey, type Caller } from "../access/accounts/authenticate.ts";
import { isServiceScope } from "../access/accounts/scopes.ts";
import type { CallerCtx } from "../access/caller.ts";
import { authenticateMailboxCaller } from "../access/mailbox-sessions/caller.ts";
import { authenticateAccessToken } from "../access/tokens/authenticate.ts";
import { isAccessToken } from "../access/tokens/rules.ts";
import { invalidToken, unauthorized } from "../lib/errors.ts";
import type { Ctx, MainStatement } from "../platform/context.ts";
import { readEarlyBody } from "./early-body.ts";
import type { AppContext, Middleware } from "./env.ts";
import { requireRequestRate } from "./rate-limit.ts";
import { requireRight } from "./require-right.ts";
import type { RouteIndex } from "./route-index.ts";
import { authenticateService } from "./service-auth.ts";
import { authenticateCookie, hasSession } from "./session-auth.ts";
import { setCaller } from "./set-caller.ts";

/** Returns what a route reads for a body, in the D1 batch that finds the credential. */
export type EarlyReads = (
  ctx: Ctx,
  body: unknown,
) => {
  statements(keyHashes: string): MainStatement[];
  toCaller(results: D1Result[]): Partial<CallerCtx>;
};

/**
 * Returns the middleware that authenticates the caller and checks the scope of the route
 * (docs/contract/scopes.md#required-scopes). A path without a route passes, so that it gets its 404 or 307. `earlyReads`, by
 * route: a small body of these routes is read first, and D1 is asked about both at once.
 */
export function authenticate(
  routes: () => RouteIndex,
  earlyReads: Readonly<Record<string, EarlyReads>> = {},
): Middleware {
  return async (c, next) => {
    c.set("routes", routes());
    const route = routes().find(c.req.method, c.req.path);
    if (route === null) return next();
    const need = routes().scopeOf(route);
    if (need === "public" || need === "page") return next();
    if (isServiceScope(need)) {
      await authenticateService(c, need);
      return next();
    }
    const token = hasSession(c) ? null : bearerToken(c.req.header("Authorization"));
    const early = earlyReads[route] && token !== null && isApiKey(token) ? await readEarlyBody(c) : null;
    if (early) c.set("earlyBody", early);
    try {
      await authenticateUser(c, route, token, earlyReads[route]);
      await next();
    } finally {
      early?.hold.free();
    }
  };
}

/** Authenticates the caller by the token of its Authorization header, or by the session cookie when that is null. */
async function authenticateUser(
  c: AppContext,
  route: string,
  token: string | null,
  earlyReads: EarlyReads | undefined,
): Promise<void> {
  const ctx = c.get("ctx");
  const body = c.get("earlyBody")?.json;
  const reads = body === undefined ? undefined : earlyReads?.(ctx, body);
  const { actor, workspace, touch, results } = await findCaller(c, route, token, ctx, reads?.statements);
  requireRight(actor, route, c.get("routes"));
  await requireRequestRate(ctx, route, { actor, workspace });
  if (touch) c.executionCtx.waitUntil(touch());
  setCaller(c, ctx, { actor, workspace, ...reads?.toCaller(results) }, async (atStart) => {
    const again = await findCaller(c, route, token, atStart);
    requireRight(again.actor, route, c.get("routes"));
    return again;
  });
}

/** Returns the caller of a token, or of the session cookie when it is null, with the results of `reads`. Tokens may expire after the time of `ctx`. */
async function findCaller(
  c: AppContext,
  route: string,
  token: string | null,
  ctx: Ctx,
  reads?: (keyHashes: string) => MainStatement[],
): Promise<Caller & { results: D1Result[] }> {
  if (token === null) return { ...(await authenticateCookie(c, ctx)), results: [] };
  if (isInboxRoute(route) && isJwt(token)) return { ...(await authenticateMailboxCaller(ctx, token)), results: [] };
  if (isAccessToken(token)) return { ...(await authenticateAccessToken(ctx, token)), results: [] };
  return authenticateApiKey(c.get("ctx"), token, reads);
}

/** Returns whether a route takes the access token of a mailbox session: the inbox API only. */
const isInboxRoute = (route: string) => / \/v1\/inbox\/:mailbox_id\//.test(route);

/** API keys and access tokens of OAuth contain no dot. */
const isJwt = (token: string) => token.split(".").length === 3;

/** Returns the token of an `Authorization: Bearer` header (RFC 6750 2.1). Throws 401, with an error code for a malformed token. */
function bearerToken(header: string | undefined): string {
  if (header === undefined)
    throw unauthorized("The Authorization header is missing; send Authorization: Bearer <API key>");
  const match = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(header);
  if (match?.[1]) return match[1];
  const detail = "The Authorization header is invalid; send Authorization: Bearer <API key>";
  throw /^Bearer +\S/i.test(header) ? invalidToken(detail) : unauthorized(detail);
}
