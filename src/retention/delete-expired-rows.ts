import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { emailCutoff, ROWS, rollupCutoff, STEPS } from "./rules.ts";

// Each finds its rows by the key of one workspace after the other, and stops at the first that are enough.
const old = (table: string, time: string, key: string) => `
  DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key
      .split(", ")
      .map((column) => `t.${column}`)
      .join(", ")} FROM workspaces w CROSS JOIN ${table} t ON t.workspace = w.number AND t.${time} < ?1 LIMIT ?2)`;

const OLD_CHANGES = old("changes", "at_us", "workspace, at_us");
const OLD_HOURS = old("rollups_hourly", "hour", "workspace, hour, domain");
const OLD_DAYS = old("rollups_daily", "day", "workspace, day, domain");
const OLD_LETTERS =
  "DELETE FROM dead_letters WHERE id IN (SELECT id FROM dead_letters WHERE recorded_at < ?1 LIMIT ?2)";

/** Takes away change rows, roll-ups and dead letters past their time, in bounded steps. */
export async function deleteExpiredRows(ctx: Ctx): Promise<void> {
  const { retentionDays } = ctx.settings;
  const cutoff = emailCutoff(ctx.now(), retentionDays);
  const { hour, day } = rollupCutoff(ctx.now(), retentionDays);
  const jobs: [string, number][] = [
    [OLD_CHANGES, cutoff * 1000],
    [OLD_HOURS, hour],
    [OLD_DAYS, day],
    [OLD_LETTERS, cutoff],
  ];
  for (const [sql, before] of jobs) await forgetBefore(ctx, sql, before);
}

async function forgetBefore(ctx: Ctx, sql: string, before: number): Promise<void> {
  for (let step = 0; step < STEPS; step++) {
    const { meta } = await mailDb(ctx).prepare(sql).bind(before, ROWS).run();
    if (meta.changes < ROWS) return;
  }
}
