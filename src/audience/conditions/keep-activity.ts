import type { CallerCtx } from "../../access/caller.ts";
import type { MailCtx } from "../../platform/context.ts";
import { mailDb } from "../../platform/db/client.ts";
import { endActivityStatement, keepActivityStatement } from "../../platform/db/shard-workspaces.ts";
import { onOldestShard, onShardsOf } from "../../platform/jobs/shards.ts";

const SINCE = "SELECT activity_since FROM shard_workspaces WHERE number = ?1";

/**
 * Begins to keep activity in each mail database of the workspace, the first one before the others: a database that the workspace gets
 * meanwhile reads it there. Returns since when it is kept, in milliseconds since 1970.
 */
export async function keepActivity(ctx: CallerCtx): Promise<number | null> {
  const { workspace } = ctx;
  const keep = async (mailCtx: MailCtx, first?: number) => {
    const since = mailDb(mailCtx).prepare(SINCE).bind(workspace.number);
    const results = await mailDb(mailCtx).batch<Since>([keepActivityStatement(mailCtx, workspace, first), since]);
    return results[1]?.results[0]?.activity_since ?? 0;
  };
  const oldest = await keep(onOldestShard(ctx, workspace));
  const others = (await onShardsOf(ctx, workspace.number)).slice(0, -1);
  return Math.max(oldest, ...(await Promise.all(others.map((shard) => keep(shard, oldest))))) || null;
}

interface Since {
  activity_since: number | null;
}

/** Keeps no further activity of the workspace, unless it has segments or automations that are not archived. */
export async function endActivity(ctx: CallerCtx): Promise<void> {
  const { number } = ctx.workspace;
  const first = onOldestShard(ctx, ctx.workspace);
  const db = mailDb(first);
  const [, since] = await db.batch<Since>([endActivityStatement(first, number), db.prepare(SINCE).bind(number)]);
  // Segments and automations are in the first database only.
  if ((since?.results[0]?.activity_since ?? null) !== null) return;
  const others = (await onShardsOf(ctx, number)).slice(0, -1);
  await Promise.all(others.map((shard) => endActivityStatement(shard, number).run()));
}
