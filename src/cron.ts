import { releaseEngineLease } from "./audience/automations/index.ts";
import { recheckDomains, tendZones } from "./domains/domains/index.ts";
import { evaluateHealth } from "./domains/health/index.ts";
import { advanceHosts, advancePolicies } from "./domains/hosts/index.ts";
import { releaseEndpointLeases } from "./notices/webhooks/index.ts";
import { isRestoring } from "./operations/backups/index.ts";
import { saveCronRun } from "./operations/metrics/index.ts";
import type { Ctx } from "./platform/context.ts";
import { createContext } from "./platform/create-context.ts";
import { forEachShard, withLimits } from "./platform/jobs/shards.ts";
import { newRunLimits, type RunLimits, releaseLeases } from "./sending/delivery/index.ts";
import { startShardJob } from "./shard-jobs.ts";

/** The function of each schedule. wrangler.toml lists the same schedules, except `restart`, which `npm start` triggers. */
const schedules: Readonly<Record<string, (ctx: Ctx, limits: RunLimits, scheduledTime: number) => Promise<unknown>>> = {
  "* * * * *": async (ctx, limits) => {
    try {
      await Promise.all([startShardJob(ctx, "sweep", limits), advanceHosts(ctx), advancePolicies(ctx)]);
    } finally {
      await tendZones(ctx);
    }
  },
  "*/5 * * * *": (ctx, limits) => startShardJob(ctx, "rates", limits),
  "*/10 * * * *": (ctx, limits) => startShardJob(ctx, "offload", limits),
  "2 * * * *": (ctx, limits) => startShardJob(ctx, "close-hours", limits),
  "17 * * * *": (ctx, limits) => startShardJob(ctx, "responses", limits),
  "41 * * * *": (ctx) => recheckDomains(ctx, evaluateHealth),
  "53 * * * *": (ctx, limits) => startShardJob(ctx, "retention", limits),
  restart: async (ctx, limits, startedAt) => {
    await forEachShard(ctx, async (mailCtx) => {
      await releaseLeases(mailCtx, startedAt);
      await releaseEndpointLeases(mailCtx, startedAt);
      await releaseEngineLease(mailCtx, startedAt);
    });
    await startShardJob(ctx, "sweep", limits);
  },
};

/** Runs the job of a schedule, within the limits of one invocation; none while a backup is restored. Throws for an unknown schedule. */
export async function runSchedule(controller: ScheduledController, env: Env): Promise<void> {
  const job = Object.hasOwn(schedules, controller.cron) ? schedules[controller.cron] : undefined;
  if (!job) throw new Error(`no task for the schedule ${controller.cron}`);
  const limits = newRunLimits();
  const ctx = withLimits(createContext(env, crypto.randomUUID()), limits);
  // The rows of a backup are not complete yet.
  if (await isRestoring(ctx)) return;
  await job(ctx, limits, controller.scheduledTime);
  await saveCronRun(ctx, controller.cron);
}
