import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { dayOf } from "../idempotency/index.ts";
import { onShard } from "../shards.ts";
import type { SmtpSession } from "./sessions.ts";

const FORGET = `
  DELETE FROM idempotency_keys WHERE day IN (?1, ?1 - 1) AND workspace = ?2 AND key IN (SELECT value FROM json_each(?3))
    AND answer->>'connection' = ?4`;

/**
 * Forgets messages whose client has received the answers, since it ended its connection with QUIT: the same message again
 * is then a second email. `keys` are those that `acceptSubmission` returned. Safe to repeat.
 */
export async function confirmAnswers(ctx: Ctx, session: SmtpSession, keys: readonly string[]): Promise<void> {
  const row = await ctx.db
    .prepare("SELECT number, mail_shards FROM workspaces WHERE id = ?1")
    .bind(session.workspaceId)
    .first<{ number: number; mail_shards: string }>();
  const [shard] = JSON.parse(row?.mail_shards ?? "[]") as number[];
  if (!row || shard === undefined) return;
  const values = [dayOf(ctx.now()), row.number, JSON.stringify(keys), session.connection];
  await mailDb(onShard(ctx, shard))
    .prepare(FORGET)
    .bind(...values)
    .run();
}
