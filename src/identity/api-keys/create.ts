import { mintApiKey } from "../../access/accounts/api-key.ts";
import type { CallerCtx } from "../../access/caller.ts";
import { requireProofOfSession } from "../../access/sessions/reauthentication.ts";
import { forbidden, unprocessable, type ValidationError } from "../../lib/errors.ts";
import { isoOrNull, parseIso } from "../../lib/time.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { expectChanges, repeatableBatch } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { storeSecretResponse } from "../../platform/idempotency/responses.ts";
import { callerIsActive } from "./caller-is-active.ts";
import { type ApiKeyRow, findDomainIds } from "./queries.ts";
import { expiryIssue } from "./rules.ts";
import { type ApiKeyIn, type NewApiKeyOut, toApiKey } from "./schema.ts";

// The key itself does not count: a batch whose first attempt committed inserts it again.
const countLive = (expiry: string) => `
  (SELECT count(*) FROM api_keys WHERE workspace = ?3 AND revoked_at IS NULL AND replaced_by_id IS NULL AND ${expiry} AND id <> ?2)`;
const LIVE = `${countLive("expires_at IS NULL")} + ${countLive("expires_at > ?10")}`;

// Counts the domains again: one that is deleted at this moment must not remain in the new key.
const INSERT_KEY = `
  INSERT INTO api_keys (id, workspace, user_id, name, prefix, hash, scopes, domain_ids, created_at, expires_at)
  SELECT ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
   WHERE ${callerIsActive("?3")} AND ?12 = (
     SELECT count(*) FROM domains WHERE workspace = ?3 AND id IN (SELECT value FROM json_each(?9)))
     AND ${hasRoom("api_keys", "?3", `(${LIVE})`)}`;

/**
 * Creates an API key that acts as the caller's user (docs/contract/scopes.md#api-keys). Omitted fields default to the caller's
 * own rights. Throws 403 for rights that the caller does not have, 409 at the limit of the workspace, 422 for an invalid expiry or domain, ConcurrencyError when
 * the caller's key was revoked, a domain was deleted or the Idempotency-Key was used at the same moment.
 */
export async function createApiKey(ctx: CallerCtx, input: ApiKeyIn): Promise<NewApiKeyOut> {
  const { actor, workspace } = ctx;
  const { scopes, domainIds, expiresAt } = await toGrant(ctx, input);
  const { key, prefix, hash } = await mintApiKey(ctx.settings.masterKeys);
  const row: ApiKeyRow = {
    id: ctx.newId(),
    userId: actor.userId,
    name: input.name,
    prefix,
    scopes: [...scopes],
    domainIds: domainIds && [...domainIds],
    lastUsedAt: null,
    createdAt: ctx.now(),
    expiresAt,
    revokedAt: null,
    replacedById: null,
  };
  const response = { ...toApiKey(row), key };
  const domainsJson = domainIds && JSON.stringify(domainIds);
  const owner = [actor.credentialId, row.id, workspace.number, actor.userId, row.name, prefix, hash];
  const rights = [JSON.stringify(scopes), domainsJson, row.createdAt, expiresAt, domainIds?.length ?? 0];
  await repeatableBatch(ctx, ctx.db, [
    ctx.db.prepare(INSERT_KEY).bind(...owner, ...rights),
    expectChanges(ctx.db, 1),
    auditStatement(ctx, {
      action: "api_key.created",
      target: row.id,
      detail: { name: row.name, scopes, expires_at: isoOrNull(expiresAt) },
    }),
    ...(await storeSecretResponse(ctx, response)),
  ]);
  return response;
}

async function toGrant(ctx: CallerCtx, input: ApiKeyIn): Promise<Grant> {
  const { actor } = ctx;
  const requested = input.domain_ids === undefined ? actor.domainIds && [...actor.domainIds] : input.domain_ids;
  const expiry = parseExpiry(ctx, input.expires_at);
  const grant: Grant = {
    scopes: [...new Set(input.scopes ?? (actor.grantsAll ? ["*"] : [...actor.scopes].sort()))],
    domainIds: requested && [...new Set(requested)],
    expiresAt: expiry.at,
  };
  requireGrantable(ctx, grant);
  const found = await findDomainIds(ctx, grant.domainIds ?? []);
  const errors = [...domainErrors(input.domain_ids ?? [], found), ...expiry.errors];
  if (errors.length > 0) throw unprocessable(errors);
  return grant.domainIds === null ? grant : { ...grant, domainIds: grant.domainIds.filter((id) => found.has(id)) };
}

/** Returns the expiry in ms since 1970. With an error, which is reported together with other errors, the default. */
function parseExpiry(
  { actor, now }: CallerCtx,
  given: ApiKeyIn["expires_at"],
): { at: number | null; errors: ValidationError[] } {
  if (given === null) return { at: null, errors: [] };
  if (given === undefined) return { at: actor.expiresAt, errors: [] };
  const msg = expiryIssue(given, now());
  if (msg === null) return { at: parseIso(given), errors: [] };
  return { at: actor.expiresAt, errors: [{ loc: ["body", "expires_at"], msg, type: "value_error" }] };
}

/** Returns an error for each id that is not a domain of the workspace. Malformed, unknown and foreign ids get the same text. */
function domainErrors(ids: readonly string[], found: ReadonlySet<string>): ValidationError[] {
  const msg = "domain_ids must contain ids of domains of this workspace; this one is not";
  return ids.flatMap((id, index) =>
    found.has(id) ? [] : [{ loc: ["body", "domain_ids", index], msg, type: "value_error" }],
  );
}

interface Grant {
  scopes: readonly string[];
  /** Ids of the domains that the key is restricted to; null: not restricted. */
  domainIds: readonly string[] | null;
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null;
}

/** Throws 403 unless the caller has all rights of the grant (docs/contract/scopes.md#api-keys), and for `*` as `requireProofOfSession`. */
export function requireGrantable(ctx: CallerCtx, grant: Grant): void {
  const { actor } = ctx;
  const held: ReadonlySet<string> = actor.scopes;
  const missing = grant.scopes.find((scope) => (scope === "*" ? !actor.grantsAll : !held.has(scope)));
  if (missing !== undefined) throw forbidden(`Missing scope: ${missing}`);
  if (grant.scopes.includes("*")) requireProofOfSession(ctx);
  const { domainIds, expiresAt } = actor;
  if (domainIds && !grant.domainIds?.every((id) => domainIds.has(id)))
    throw forbidden("This API key is restricted to certain domains");
  if (expiresAt !== null && (grant.expiresAt === null || grant.expiresAt > expiresAt))
    throw forbidden("expires_at is later than the expiry of the calling API key");
}
