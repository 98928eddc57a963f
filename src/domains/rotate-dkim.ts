import type { CallerCtx } from "../context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../db/batch.ts";
import { storeResponse } from "../idempotency/index.ts";
import { insertKeysStatement, newDkimPair } from "./dkim-keys.ts";
import { getDomain, getDomainWithKeys } from "./queries.ts";
import { dkimState } from "./rules.ts";
import { type DomainOut, toDomain } from "./schema.ts";

// Keys that never signed make way; those that sign go on until the new ones have been seen in DNS.
const FORGET_WAITING = "DELETE FROM dkim_keys WHERE domain_id = ?1 AND activated_at IS NULL AND retired_at IS NULL";

// Touches the row so that the batch knows whether the domain and its keys are still as they were read: else the
// answer would tell people to publish records that are void already.
const STILL_SO = `
  UPDATE domains SET name = name WHERE id = ?1 AND workspace = ?2 AND ?3 = (
    SELECT json_group_array(id) FROM (
      SELECT id FROM dkim_keys WHERE domain_id = ?1 AND activated_at IS NULL AND retired_at IS NULL ORDER BY id))`;

/**
 * Makes a new pair of DKIM keys for a domain. They sign from the moment a look at DNS finds both records (verify,
 * or the daily check); until then the old ones do, and then those retire (decisions 5). Throws 404, LostRace when
 * its keys were changed at that moment.
 */
export async function rotateDkim(ctx: CallerCtx, id: string): Promise<DomainOut> {
  const { domain, keys } = await getDomainWithKeys(ctx, id);
  const fresh = await newDkimPair(ctx, id);
  const kept = keys.filter((key) => dkimState(key) !== "pending");
  const waiting = keys.filter((key) => dkimState(key) === "pending").map((key) => key.id);
  const answer = toDomain(ctx.settings, { domain, keys: [...kept, ...fresh] });
  try {
    await guardedBatch(ctx.db, [
      ctx.db.prepare(STILL_SO).bind(id, ctx.workspace.number, JSON.stringify(waiting.sort())),
      expectChanges(ctx.db, 1),
      ctx.db.prepare(FORGET_WAITING).bind(id),
      insertKeysStatement(ctx, fresh),
      ...storeResponse(ctx, answer),
    ]);
  } catch (error) {
    // Throws 404 when it was deleted meanwhile.
    if (error instanceof ConcurrencyError) await getDomain(ctx, id);
    throw error;
  }
  return answer;
}
