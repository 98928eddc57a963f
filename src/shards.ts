import type { Ctx, MailCtx, WorkCtx } from "./context.ts";
import { asDatabase } from "./db/database.ts";
import { type WakeUp, type WorkMessage, wake } from "./outbox/wake.ts";

/** Returns the numbers of the mail databases of a deployment. */
export function shardNumbers(_ctx: Pick<Ctx, "env">): readonly number[] {
  return [0];
}

/**
 * Returns the numbers of the mail databases of some workspaces, newest first, by number of the workspace. A workspace that
 * does not exist has none.
 */
export async function findShards(
  ctx: Pick<Ctx, "env">,
  workspaces: Iterable<number>,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const all = shardNumbers(ctx);
  return new Map([...workspaces].map((workspace) => [workspace, all]));
}

/** Returns the contexts with each mail database of a workspace, newest first. */
export async function onShardsOf<Context extends Ctx>(ctx: Context, workspace: number): Promise<(Context & MailCtx)[]> {
  const shards = await findShards(ctx, [workspace]);
  return (shards.get(workspace) ?? []).map((shard) => onShard(ctx, shard));
}

/** Returns the context with one mail database. Throws for a number that the deployment has no database of. */
export function onShard<Context extends Ctx>(ctx: Context, shard: number): Context & MailCtx {
  if (!shardNumbers(ctx).includes(shard)) throw new Error(`there is no mail database ${shard}`);
  return { ...ctx, shard, outbox: asDatabase<"mail">(ctx.env.DB), wake: wakeIn(ctx, shard) };
}

/**
 * Runs a job on each mail database. One that fails is logged and does not keep the job from the others. Throws the first
 * error at the end.
 */
export async function forEachShard(ctx: Ctx, job: (ctx: MailCtx) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = [];
  for (const shard of shardNumbers(ctx)) {
    try {
      await job(onShard(ctx, shard));
    } catch (error) {
      ctx.log("shard.failed", { shard, error: String(error) });
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Returns the context with the outbox of the main database. */
export function onMain<Context extends Ctx>(ctx: Context): Context & WorkCtx<"main"> {
  return { ...ctx, outbox: ctx.db, wake: wakeIn(ctx, "main") };
}

/** Returns a function that sends queue messages for rows of the outbox of one database (`WorkCtx.wake`). */
function wakeIn(ctx: Ctx, database: WorkMessage["database"]): WorkCtx["wake"] {
  return async (rows: readonly WakeUp[], delaySeconds = 0) => {
    try {
      await wake(ctx.env.WORK, database, rows, delaySeconds);
      return true;
    } catch (error) {
      ctx.log("wake.failed", { error: String(error), rows: rows.length, database });
      return false;
    }
  };
}
