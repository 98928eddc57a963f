import type { Actor } from "../context.ts";
import { forbidden } from "../errors.ts";

/** What a key may do, where and until when. */
export interface Grant {
  scopes: readonly string[];
  /** Null: every domain of the workspace. */
  domainIds: readonly string[] | null;
  /** Null: never. */
  expiresAt: number | null;
}

/** Throws 403 unless the caller has all of it: nobody hands on more than they have (decisions 3). */
export function requireCover(actor: Actor, grant: Grant): void {
  const held: ReadonlySet<string> = actor.scopes;
  const missing = grant.scopes.find((scope) => (scope === "*" ? !actor.grantsAll : !held.has(scope)));
  if (missing !== undefined) throw forbidden(`Missing scope: ${missing}`);
  const { domainIds, expiresAt } = actor;
  if (domainIds && !grant.domainIds?.every((id) => domainIds.has(id)))
    throw forbidden("This API key is restricted to certain domains");
  if (expiresAt !== null && (grant.expiresAt === null || grant.expiresAt > expiresAt))
    throw forbidden("A key must not outlive the one that makes it");
}
