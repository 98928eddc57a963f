import type { CallerCtx } from "../../access/caller.ts";
import { conflict } from "../../lib/errors.ts";
import { iso } from "../../lib/time.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { checkKey, slotKeysOf, switchStatements } from "./advance-rotations.ts";
import { generateDkimKeys, insertKeysStatement } from "./dkim-keys.ts";
import { type DkimKeyRow, type DomainWithKeys, getDomain, getDomainWithKeys } from "./queries.ts";
import { nextStep } from "./rotation-rules.ts";
import { dkimState } from "./rules.ts";
import { type DomainOut, toDomain } from "./schema.ts";

// Replaces pending keys only: active keys sign until the new ones are found in DNS.
const DELETE_PENDING =
  "DELETE FROM dkim_keys WHERE domain_id = ?1 AND activated_at IS NULL AND retired_at IS NULL AND slot IS NULL";

// Changes one row only if the domain exists and its pending keys are the ones that were read. Otherwise the response
// would list records of keys that a concurrent rotation has already deleted.
const EXPECT_UNCHANGED = `
  UPDATE domains SET name = name WHERE id = ?1 AND workspace = ?2 AND ?3 = (
    SELECT json_group_array(id) FROM (
      SELECT id FROM dkim_keys WHERE domain_id = ?1 AND activated_at IS NULL AND retired_at IS NULL AND slot IS NULL ORDER BY id))`;

/**
 * Generates a new pair of DKIM keys for a domain. They are activated when a DNS check (verify, or the daily check) finds both
 * records; the old keys sign until then and retire at that moment (docs/contract/domains.md#dkim-keys). The other key of a delegated domain signs at once. Throws 404, and
 * ConcurrencyError when the keys were changed at the same moment.
 */
export async function rotateDkim(ctx: CallerCtx, id: string): Promise<DomainOut> {
  const { domain, keys, hosts } = await getDomainWithKeys(ctx, id);
  if (domain.setup === "delegated") return rotateDelegated(ctx, { domain, keys, hosts });
  const newKeys = await generateDkimKeys(ctx, domain.id);
  const isReplaced = (key: DkimKeyRow) => dkimState(key) === "pending" && key.slot === null;
  const remaining = keys.filter((key) => !isReplaced(key));
  const pendingIds = keys.filter(isReplaced).map((key) => key.id);
  const response = toDomain(ctx.settings, { domain, keys: [...remaining, ...newKeys], hosts });
  try {
    await guardedBatch(ctx.db, [
      ctx.db.prepare(EXPECT_UNCHANGED).bind(domain.id, ctx.workspace.number, JSON.stringify(pendingIds.sort())),
      expectChanges(ctx.db, 1),
      ctx.db.prepare(DELETE_PENDING).bind(domain.id),
      insertKeysStatement(ctx, newKeys),
      auditStatement(ctx, { action: "domain.dkim_rotated", target: domain.id, detail: { name: domain.name } }),
      ...(await storeResponse(ctx, response)),
    ]);
  } catch (error) {
    // Throws 404 when the domain was deleted meanwhile.
    if (error instanceof ConcurrencyError) await getDomain(ctx, id);
    throw error;
  }
  return response;
}

/**
 * Lets the other key of a delegated domain sign from now on. Throws 409 when its record is not published long enough, or DNS does not
 * show it, and ConcurrencyError when the keys were changed at the same moment.
 */
async function rotateDelegated(ctx: CallerCtx, { domain, keys, hosts }: DomainWithKeys): Promise<DomainOut> {
  const now = ctx.now();
  const step = nextStep(slotKeysOf(keys), now, true);
  if (step.kind === "none") throw conflict("No key of this domain signs yet; verify the domain first");
  if (step.kind === "wait") throw conflict(`The next key can sign from ${iso(step.until)} on, when resolvers know it`);
  if (step.kind === "replace") throw conflict("The next key is being made; try again in some days");
  if ((await checkKey(ctx, { domain, keys }, step.to)) !== "verified")
    throw conflict(`DNS does not have the key of ${step.to.selector}; publish its CNAME first`);
  const rotated = keys.map((key) => {
    if (key.id === step.to.id) return { ...key, activatedAt: now };
    return key.id === step.from.id ? { ...key, retiredAt: now } : key;
  });
  const response = toDomain(ctx.settings, { domain, keys: rotated, hosts });
  await guardedBatch(ctx.db, [
    ...switchStatements(ctx, domain, step),
    auditStatement(ctx, { action: "domain.dkim_rotated", target: domain.id, detail: { name: domain.name } }),
    ...(await storeResponse(ctx, response)),
  ]);
  return response;
}
