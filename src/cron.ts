import { type Ctx, createContext } from "./context.ts";
import { releaseLeases } from "./delivery/index.ts";
import { recheckDomains } from "./domains/index.ts";
import { indexEmails } from "./emails/index.ts";
import { deleteExpiredResponses } from "./idempotency/index.ts";
import { sweep } from "./outbox/index.ts";
import { runWork } from "./queue.ts";
import { runRetention } from "./retention/index.ts";

/** Schedule to function. The schedules stand in wrangler.toml too, except `restart`, which `npm start` fires. */
const schedules: Readonly<Record<string, (ctx: Ctx, scheduledTime: number) => Promise<unknown>>> = {
  "* * * * *": deliverDue,
  "17 * * * *": deleteExpiredResponses,
  "41 * * * *": recheckDomains,
  "53 * * * *": runRetention,
  restart: async (ctx, startedAt) => {
    await releaseLeases(ctx, startedAt);
    await deliverDue(ctx);
  },
};

/** Rows a cron run works off itself when the queue takes none. */
const WITHOUT_QUEUE = 500;

async function deliverDue(ctx: Ctx): Promise<void> {
  const left = await sweep(ctx);
  await runWork(ctx, left.slice(0, WITHOUT_QUEUE));
  await indexEmails(ctx);
}

/** Runs what belongs to a schedule. Throws for one that nobody knows. */
export async function runSchedule(controller: ScheduledController, env: Env): Promise<void> {
  const task = Object.hasOwn(schedules, controller.cron) ? schedules[controller.cron] : undefined;
  if (!task) throw new Error(`no task for the schedule ${controller.cron}`);
  await task(createContext(env, crypto.randomUUID()), controller.scheduledTime);
}
