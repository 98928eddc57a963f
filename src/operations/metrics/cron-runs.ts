import type { Ctx } from "../../platform/context.ts";

/** Time between two records of a schedule: a row for every minute costs as much as a tenth of a lone email. In milliseconds. */
const SAVE_AFTER_MS = 110_000;

const SAVE = `
  INSERT INTO cron_runs (schedule, ran_at) VALUES (?1, ?2)
  ON CONFLICT DO UPDATE SET ran_at = excluded.ran_at WHERE excluded.ran_at >= ran_at + ?3`;

/** Records that a schedule ran to its end, at most every two minutes. */
export async function saveCronRun(ctx: Ctx, schedule: string): Promise<void> {
  await ctx.db.execute(SAVE, schedule, ctx.now(), SAVE_AFTER_MS);
}
