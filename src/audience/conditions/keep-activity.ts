import type { CallerCtx } from "../../access/caller.ts";
import { mailDb } from "../../platform/db/client.ts";
import { endActivityStatement, keepActivityStatement } from "../../platform/db/shard-workspaces.ts";
import { onShard } from "../../platform/jobs/shards.ts";

const SINCE = "SELECT activity_since FROM shard_workspaces WHERE number = ?1";

/** Begins to keep activity in each mail database of the workspace. Returns since when it is kept, in milliseconds since 1970. */
export async function keepActivity(ctx: CallerCtx): Promise<number | null> {
  const { number, mailShards } = ctx.workspace;
  const results = await Promise.all(
    mailShards.map((shard) => {
      const mailCtx = onShard(ctx, shard);
      const since = mailDb(mailCtx).prepare(SINCE).bind(number);
      return mailDb(mailCtx).batch<{ activity_since: number }>([keepActivityStatement(mailCtx, ctx.workspace), since]);
    }),
  );
  return Math.max(...results.map(([, since]) => since?.results[0]?.activity_since ?? 0)) || null;
}

/** Keeps no further activity of the workspace, unless it has segments or automations that are not archived. */
export async function endActivity(ctx: CallerCtx): Promise<void> {
  const { number, mailShards } = ctx.workspace;
  const [first, ...others] = mailShards.toReversed().map((shard) => onShard(ctx, shard));
  if (!first) return;
  const db = mailDb(first);
  const [, since] = await db.batch<{ activity_since: number | null }>([
    endActivityStatement(first, number),
    db.prepare(SINCE).bind(number),
  ]);
  // Segments and automations are in the first database only.
  if ((since?.results[0]?.activity_since ?? null) !== null) return;
  await Promise.all(others.map((shard) => endActivityStatement(shard, number).run()));
}
