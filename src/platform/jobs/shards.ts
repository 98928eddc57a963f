import { forEachAtOnce } from "../../lib/at-once.ts";
import type { Ctx, InvocationLimits, MailCtx, MailDatabase, OutboxCtx, WakeUp } from "../context.ts";
import { asDatabase } from "../db/count-rows.ts";
import { countStatements } from "../db/count-statements.ts";
import { type OutboxMessage, wake } from "../outbox/wake.ts";

const numbersOf = new WeakMap<object, readonly number[]>();

/** Returns the numbers of the mail databases of a deployment: those of its bindings MAIL_0, MAIL_1 and so on. */
export function shardNumbers({ env }: Pick<Ctx, "env">): readonly number[] {
  const known = numbersOf.get(env);
  if (known) return known;
  const numbers = Object.keys(env).flatMap((name) => {
    const [, number] = /^MAIL_(\d+)$/.exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
  numbers.sort((a, b) => a - b);
  numbersOf.set(env, numbers);
  return numbers;
}

/** SQL: the number of the mail database of a row of `workspaces`, by its alias. The row has a list, so that a later version can add another. */
export const shardSql = (workspace: string) => `${workspace}.mail_shards->>0`;

const FIND_SHARDS = `
  SELECT number, ${shardSql("workspaces")} AS shard FROM workspaces WHERE number IN (SELECT value FROM json_each(?1))`;

/** Returns the numbers of the mail databases of some workspaces by number of the workspace. A workspace that does not exist has none. */
export async function findShards(
  ctx: Pick<Ctx, "db">,
  workspaces: Iterable<number>,
): Promise<ReadonlyMap<number, number>> {
  const numbers = [...workspaces];
  if (numbers.length === 0) return new Map();
  const results = await ctx.db.listRows<{ number: number; shard: number }>(FIND_SHARDS, JSON.stringify(numbers));
  return new Map(results.map(({ number, shard }) => [number, shard]));
}

/** Returns the context with the mail database of a workspace; null for one that does not exist. */
export async function onShardOf<Context extends Ctx>(
  ctx: Context,
  workspace: number,
): Promise<(Context & MailCtx) | null> {
  const shard = (await findShards(ctx, [workspace])).get(workspace);
  return shard === undefined ? null : onShard(ctx, shard);
}

/** Returns the context with one mail database. Throws for a number that the deployment has no database of. */
export function onShard<Context extends Ctx>(ctx: Context, shard: number): Context & MailCtx {
  const binding = (ctx.env as unknown as Record<string, D1Database | undefined>)[`MAIL_${shard}`];
  if (!binding) throw new Error(`there is no mail database ${shard}`);
  const database = asDatabase<"mail">(binding);
  const mail = ctx.limits ? countStatements(database, ctx.limits) : database;
  return { ...withMail(ctx, mail), shard, wake: wakeIn(ctx, shard) };
}

/** Returns the context with this mail database, which has its outbox too. */
export const withMail = <Context extends Ctx>(ctx: Context, mail: MailDatabase) => ({ ...ctx, mail, outbox: mail });

/** Returns the context with limits of its invocation, whose statements on any database are counted. */
export function withLimits(ctx: Ctx, limits: InvocationLimits): Ctx {
  return { ...ctx, limits, db: countStatements(ctx.db, limits) };
}

/** Databases that an invocation works on at once: a slow one delays no other, and an invocation has six connections. */
export const CONCURRENT_DATABASES = 4;

/** Runs a job on each mail database. Logs one that fails or is slow, goes on, and throws the first error at the end. */
export async function forEachShard(ctx: Ctx, job: (ctx: MailCtx) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = [];
  await forEachAtOnce(CONCURRENT_DATABASES, shardNumbers(ctx), async (shard) => {
    try {
      await job(onShard(ctx, shard));
    } catch (error) {
      ctx.log("shard.failed", { shard, error: String(error) });
      errors.push(error);
    }
  });
  if (errors.length > 0) throw errors[0];
}

/** Returns the context with the outbox of the main database. */
export function onMain(ctx: Ctx | MailCtx): OutboxCtx<"main"> {
  const { shard: _, ...withoutShard } = { shard: undefined, ...ctx };
  return { ...withoutShard, outbox: ctx.db, wake: wakeIn(ctx, "main") };
}

/** Returns a function that sends queue messages for rows of the outbox of one database (`OutboxCtx.wake`). */
function wakeIn(ctx: Ctx, database: OutboxMessage["database"]): OutboxCtx["wake"] {
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
