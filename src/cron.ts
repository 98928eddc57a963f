import { type Ctx, createContext } from "./context.ts";
import { newRunLimits, releaseLeases } from "./delivery/index.ts";
import { recheckDomains } from "./domains/index.ts";
import { indexEmails, offloadContent } from "./emails/index.ts";
import { deleteExpiredResponses } from "./idempotency/index.ts";
import { sweep } from "./outbox/index.ts";
import { type DatabaseRows, runDatabases } from "./queue.ts";
import { runMainRetention, runRetention } from "./retention/index.ts";
import { readShardSize, type ShardSize, saveShardSizes } from "./shard-sizes.ts";
import { forEachShard, onMain } from "./shards.ts";

/** The function of each schedule. wrangler.toml lists the same schedules, except `restart`, which `npm start` triggers. */
const schedules: Readonly<Record<string, (ctx: Ctx, scheduledTime: number) => Promise<unknown>>> = {
  "* * * * *": deliverDue,
  "*/10 * * * *": (ctx) => forEachShard(ctx, offloadContent),
  "17 * * * *": deleteExpiredResponses,
  "41 * * * *": recheckDomains,
  "53 * * * *": async (ctx) => {
    await runMainRetention(ctx);
    await forEachShard(ctx, runRetention);
  },
  restart: async (ctx, startedAt) => {
    await forEachShard(ctx, (mailCtx) => releaseLeases(mailCtx, startedAt));
    await deliverDue(ctx);
  },
};

/** Rows that a cron run processes itself when the queue refuses messages. */
const MAX_ROWS_WITHOUT_QUEUE = 500;

async function deliverDue(ctx: Ctx): Promise<void> {
  const limits = newRunLimits();
  const sizes: ShardSize[] = [];
  const main = onMain(ctx);
  const work: DatabaseRows[] = [];
  try {
    await forEachShard(ctx, async (mailCtx) => {
      work.push({ database: mailCtx.shard, rows: (await sweep(mailCtx)).slice(0, MAX_ROWS_WITHOUT_QUEUE) });
      await indexEmails(mailCtx);
      sizes.push(await readShardSize(mailCtx));
    });
  } finally {
    work.push({ database: "main", rows: (await sweep(main)).slice(0, MAX_ROWS_WITHOUT_QUEUE) });
    await runDatabases(ctx, work, limits, () => {});
    await saveShardSizes(ctx, sizes);
  }
}

/** Runs the task of a schedule. Throws for an unknown schedule. */
export async function runSchedule(controller: ScheduledController, env: Env): Promise<void> {
  const task = Object.hasOwn(schedules, controller.cron) ? schedules[controller.cron] : undefined;
  if (!task) throw new Error(`no task for the schedule ${controller.cron}`);
  await task(createContext(env, crypto.randomUUID()), controller.scheduledTime);
}
