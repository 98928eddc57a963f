import { dayOf } from "../../lib/time.ts";
import type { Ctx } from "../../platform/context.ts";
import { onShard, shardSql } from "../../platform/jobs/shards.ts";
import type { SmtpSession } from "./sessions.ts";

/** Responses that the client of a connection has received. */
export interface Confirmation {
  session: SmtpSession;
  /** Keys that `acceptSubmissions` returned. */
  keys: readonly string[];
}

const CONFIRMED = "SELECT k.value, i.value->>'connection' FROM json_each(?3) i, json_each(i.value, '$.keys') k";

// A response counts as received on the connection that it was first sent to, and on those that it was replayed to.
const DELETE_RESPONSES = `
  DELETE FROM idempotency_keys WHERE day IN (?1, ?1 - 1) AND workspace = ?2
    AND key IN (SELECT k.value FROM json_each(?3) i, json_each(i.value, '$.keys') k)
    AND ((key, answer->>'connection') IN (${CONFIRMED})
      OR EXISTS (SELECT 1 FROM json_each(answer, '$.receipts') r
                  WHERE (idempotency_keys.key, r.value->>'connection') IN (${CONFIRMED})))`;

/**
 * Deletes the stored responses of messages whose clients have received them, since they ended their connections with QUIT: the
 * same message again is then a second email. Two D1 calls for each workspace. Safe to repeat.
 */
export async function confirmResponses(ctx: Ctx, confirmations: readonly Confirmation[]): Promise<void> {
  const groups = Map.groupBy(confirmations, ({ session }) => session.workspaceId);
  await Promise.all([...groups].map(([workspaceId, group]) => confirmGroup(ctx, workspaceId, group)));
}

async function confirmGroup(ctx: Ctx, workspaceId: string, group: readonly Confirmation[]): Promise<void> {
  const sql = `SELECT w.number, ${shardSql("w")} AS shard FROM workspaces w WHERE w.id = ?1`;
  const row = await ctx.db.findRow<{ number: number; shard: number }>(sql, workspaceId);
  if (!row) return;
  const items = group.map(({ session: { connection }, keys }) => ({ connection, keys }));
  await onShard(ctx, row.shard).mail.execute(DELETE_RESPONSES, dayOf(ctx.now()), row.number, JSON.stringify(items));
}
