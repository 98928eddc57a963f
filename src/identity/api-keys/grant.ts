import type { Actor } from "../../access/caller.ts";
import { forbidden } from "../../lib/errors.ts";

/** The rights of an API key. */
export interface Grant {
  scopes: readonly string[];
  /** Ids of the domains that the key is restricted to; null: not restricted. */
  domainIds: readonly string[] | null;
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null;
}

/** Throws 403 unless the caller has all rights of the grant (docs/contract/scopes.md#api-keys). */
export function requireGrantable(actor: Actor, grant: Grant): void {
  const held: ReadonlySet<string> = actor.scopes;
  const missing = grant.scopes.find((scope) => (scope === "*" ? !actor.grantsAll : !held.has(scope)));
  if (missing !== undefined) throw forbidden(`Missing scope: ${missing}`);
  const { domainIds, expiresAt } = actor;
  if (domainIds && !grant.domainIds?.every((id) => domainIds.has(id)))
    throw forbidden("This API key is restricted to certain domains");
  if (expiresAt !== null && (grant.expiresAt === null || grant.expiresAt > expiresAt))
    throw forbidden("expires_at is later than the expiry of the calling API key");
}
