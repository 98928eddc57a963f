import { outlivingRefusal } from "../access/accounts/outlives.ts";
import { isServiceScope } from "../access/accounts/scopes.ts";
import type { Actor } from "../access/caller.ts";
import { AppError, forbidden } from "../lib/errors.ts";
import type { RouteIndex } from "./route-index.ts";

const credentialNames = {
  api_key: "an API key",
  oauth: "an OAuth token",
  system: "the service",
  smtp: "an SMTP credential",
  mailbox: "a mailbox session",
} as const;

/** Throws 403 when the caller may not use a route of `routes`, by method and mounted path (docs/contract/scopes.md#required-scopes). */
export function requireRight(actor: Actor, route: string, routes: RouteIndex): void {
  const missing = missingRight(actor, route, routes);
  if (missing) throw missing;
}

/** Returns the 403 of a caller that may not use a route, or null for one that may. */
export function missingRight(actor: Actor, route: string, routes: RouteIndex): AppError | null {
  const need = routes.scopeOf(route);
  if (need === "any" || need === "public" || need === "page") return null;
  if (need === "session" || need === "platform_admin") {
    if (actor.kind !== "session") return forbidden(`This endpoint takes a session, not ${credentialNames[actor.kind]}`);
    if (need === "platform_admin" && !actor.isPlatformAdmin)
      return forbidden("This endpoint is for administrators of the platform");
    return null;
  }
  // Before the scope: a client must not ask the user for a scope that does not help.
  const outliving = routes.outlivingOf(route);
  const refusal = outliving?.when === null ? outlivingRefusal(actor, outliving) : null;
  if (refusal) return refusal;
  return isServiceScope(need) || !actor.scopes.has(need) ? missingScope(actor, need) : null;
}

/** Returns the 403 of a missing scope. A client with an OAuth token is told which scope to ask the user for (RFC 6750 3.1). */
function missingScope(actor: Actor, scope: string): AppError {
  const challenge = { error: "insufficient_scope", scope } as const;
  return new AppError(403, `Missing scope: ${scope}`, actor.kind === "oauth" ? { challenge } : {});
}
