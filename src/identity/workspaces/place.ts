import type { Ctx, MainStatement } from "../../platform/context.ts";
import { shardNumbers, shardSql } from "../../platform/jobs/shards.ts";

/** Databases whose sizes differ by less than this count as equally full, in bytes. */
const SIZE_STEP = 100_000_000;

const REGISTER_SHARDS = "INSERT OR IGNORE INTO mail_shards (number) SELECT value FROM json_each(?1)";

// `json` fails on a text that is not JSON, which rolls back the batch.
const PLACE = `
  UPDATE workspaces SET mail_shards = json_array(coalesce((
    SELECT number FROM mail_shards WHERE is_open AND size < ?2 AND number IN (SELECT value FROM json_each(?3))
     ORDER BY size / ${SIZE_STEP}, workspaces, number LIMIT 1), json('no mail database is open')))
   WHERE id = ?1`;

const COUNT = `
  UPDATE mail_shards SET workspaces = workspaces + 1
   WHERE number = (SELECT ${shardSql("w")} FROM workspaces w WHERE w.id = ?1)`;

/**
 * Returns the statements that place a new workspace on the emptiest open mail database, for the batch that inserts its
 * row, after it. Of databases of about the same size, the one with the fewest workspaces is the emptiest. The batch fails
 * with ConcurrencyError (`guardedBatch`) when every database is closed or full.
 */
export function placementStatements(ctx: Ctx, workspaceId: string): MainStatement[] {
  const numbers = JSON.stringify(shardNumbers(ctx));
  return [
    ctx.db.prepare(REGISTER_SHARDS).bind(numbers),
    ctx.db.prepare(PLACE).bind(workspaceId, ctx.settings.shardLimits.placement, numbers),
    ctx.db.prepare(COUNT).bind(workspaceId),
  ];
}
