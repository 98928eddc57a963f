import type { CallerCtx } from "../../access/caller.ts";
import { endActivityStatement, keepActivityStatement } from "../../platform/db/shard-workspaces.ts";

const SINCE = "SELECT activity_since FROM shard_workspaces WHERE number = ?1";

/** Begins to keep the activity of the people of the caller's workspace. Returns since when it is kept, in milliseconds since 1970. */
export async function keepActivity(ctx: CallerCtx): Promise<number | null> {
  const { workspace } = ctx;
  const results = await ctx.mail.batch<{ activity_since: number | null }>([
    keepActivityStatement(ctx, workspace),
    ctx.mail.prepare(SINCE).bind(workspace.number),
  ]);
  return results[1]?.results[0]?.activity_since ?? null;
}

/** Keeps no further activity of the workspace, unless it has segments or automations that are not archived. */
export async function endActivity(ctx: CallerCtx): Promise<void> {
  await endActivityStatement(ctx, ctx.workspace.number).run();
}
