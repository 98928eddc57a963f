import type { MiddlewareHandler } from "hono";
import { authenticateApiKey, type RequiredScope, routeScopes } from "../accounts/index.ts";
import { AppError, forbidden, unauthorized } from "../errors.ts";
import type { AppEnv } from "./env.ts";
import { requireRequestRate } from "./rate-limit.ts";
import type { RouteIndex } from "./route-index.ts";

/**
 * Returns the middleware that authenticates the caller and checks the scope of the route (decisions 3). A path
 * without a route passes, so that it gets its 404 or 307. A route that is missing in the scope table answers 500.
 */
export function authenticate(routes: () => RouteIndex): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const route = routes().find(c.req.method, c.req.path);
    if (route === null) return next();
    const need: RequiredScope | undefined = routeScopes[route];
    if (need === undefined) throw new AppError(500, "Internal Server Error");
    if (need === "public") return next();
    const ctx = c.get("ctx");
    const { actor, workspace, touch } = await authenticateApiKey(ctx, bearerToken(c.req.header("Authorization")));
    if (need !== "any" && !actor.scopes.has(need)) throw forbidden(`Missing scope: ${need}`);
    await requireRequestRate(ctx, route, actor.keyId);
    if (touch) c.executionCtx.waitUntil(touch());
    c.set("caller", { ...ctx, actor, workspace });
    return next();
  };
}

/** Returns the token of an `Authorization: Bearer` header (RFC 6750 2.1). Throws 401. */
function bearerToken(header: string | undefined): string {
  if (header === undefined)
    throw unauthorized("The Authorization header is missing; send Authorization: Bearer <API key>");
  const match = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(header);
  if (!match?.[1]) throw unauthorized("The Authorization header is invalid; send Authorization: Bearer <API key>");
  return match[1];
}
