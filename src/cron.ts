import { type Ctx, createContext } from "./context.ts";
import { forgetAnswers } from "./idempotency/index.ts";
import { releaseLeases, sweep } from "./outbox/index.ts";

/** Schedule to function. The schedules stand in wrangler.toml too, except `restart`, which `npm start` fires. */
const schedules: Readonly<Record<string, (ctx: Ctx) => Promise<unknown>>> = {
  "* * * * *": sweep,
  "17 * * * *": forgetAnswers,
  restart: releaseLeases,
};

/** Runs what belongs to a schedule. Throws for one that nobody knows. */
export async function runSchedule(controller: ScheduledController, env: Env): Promise<void> {
  const task = Object.hasOwn(schedules, controller.cron) ? schedules[controller.cron] : undefined;
  if (!task) throw new Error(`no task for the schedule ${controller.cron}`);
  await task(createContext(env, crypto.randomUUID()));
}
