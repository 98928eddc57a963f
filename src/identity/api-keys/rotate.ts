import { mintApiKey } from "../../access/accounts/api-key.ts";
import type { CallerCtx } from "../../access/caller.ts";
import { inheritPasswordsStatements } from "../../access/mailbox-sessions/sessions.ts";
import { conflict, forbidden } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { expectChanges, repeatableBatch } from "../../platform/db/batch.ts";
import { storeSecretResponse } from "../../platform/idempotency/responses.ts";
import { callerIsActive } from "./caller-is-active.ts";
import { requireGrantable } from "./create.ts";
import { type ApiKeyRow, getApiKey } from "./queries.ts";
import { GRACE_MS } from "./rules.ts";
import { type NewApiKeyOut, toApiKey } from "./schema.ts";

// Inserts nothing when the old key changed since it was read. It may already have this successor: then the batch runs a
// second time after an ambiguous commit, and fails on the primary key.
const INSERT_SUCCESSOR = `
  INSERT INTO api_keys (id, workspace, user_id, name, prefix, hash, scopes, domain_ids, created_at, expires_at)
  SELECT ?2, k.workspace, k.user_id, k.name, ?3, ?4, k.scopes, k.domain_ids, ?5, k.expires_at
    FROM api_keys k
   WHERE k.id = ?6 AND k.workspace = ?7 AND k.domain_ids IS ?8 AND k.revoked_at IS NULL
     AND (k.expires_at IS NULL OR k.expires_at > ?5) AND (k.replaced_by_id IS NULL OR k.replaced_by_id = ?2)
     AND ${callerIsActive("?7")}`;

const REPLACE = `
  UPDATE api_keys SET replaced_by_id = ?2, expires_at = min(ifnull(expires_at, ?3), ?3) WHERE id = ?1 AND workspace = ?4`;

/**
 * Creates a successor of an API key with the same rights and expiry. The old key stays valid for 24 hours, or until it
 * is revoked; passwords of mailboxes that it has set or made now end with the successor. Only the user who created the key may rotate it, with a credential that has all its rights: otherwise a
 * restricted key could obtain a broader one. Throws 404, 403, and 409 for a key that is revoked, expired or replaced.
 */
export async function rotateApiKey(ctx: CallerCtx, id: string): Promise<NewApiKeyOut> {
  const old = await getApiKey(ctx, id);
  if (old.userId !== ctx.actor.userId) throw forbidden("Only the user who created this API key may rotate it");
  requireGrantable(ctx, old);
  requireActive(old, ctx.now());
  const { key, prefix, hash } = await mintApiKey(ctx.settings.masterKeys);
  const now = ctx.now();
  const successor = { ...old, id: ctx.newId(), prefix, createdAt: now, lastUsedAt: null };
  const response = { ...toApiKey(successor), key };
  const source = [old.id, ctx.workspace.number, old.domainIds && JSON.stringify(old.domainIds)];
  await repeatableBatch(ctx, ctx.db, [
    ctx.db.prepare(INSERT_SUCCESSOR).bind(ctx.actor.credentialId, successor.id, prefix, hash, now, ...source),
    expectChanges(ctx.db, 1),
    ctx.db.prepare(REPLACE).bind(old.id, successor.id, now + GRACE_MS, ctx.workspace.number),
    ...inheritPasswordsStatements(ctx, { from: old.id, to: successor.id }),
    auditStatement(ctx, { action: "api_key.rotated", target: old.id, detail: { successor_id: successor.id } }),
    ...(await storeSecretResponse(ctx, response)),
  ]);
  return response;
}

function requireActive({ revokedAt, replacedById, expiresAt }: ApiKeyRow, now: number): void {
  if (revokedAt !== null) throw conflict("This API key is revoked");
  if (replacedById !== null) throw conflict("This API key was already rotated");
  if (expiresAt !== null && expiresAt <= now) throw conflict("This API key has expired");
}
