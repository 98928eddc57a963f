import type { MailCtx } from "../../platform/context.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { workspaceSteps } from "../../platform/jobs/workspace-steps.ts";
import { MAX_DOMAINS, OTHER_DOMAINS, ROLLUP_COLUMNS } from "../../sending/emails/index.ts";
import { daysToRollUp } from "./rules.ts";

/** Days of one run. After a long outage the next runs do the rest. */
const MAX_DAYS = 14;

const sums = ROLLUP_COLUMNS.map((column) => `sum(${column}) AS ${column}`).join(", ");

// Counts that came after the end of the day are in the hours too.
const DELETE_DAY = `
  DELETE FROM rollups_daily WHERE (workspace, day, domain) IN (
    SELECT r.workspace, r.day, r.domain FROM shard_workspaces w CROSS JOIN rollups_daily r ON r.workspace = w.number AND r.day = ?1
     WHERE w.number BETWEEN ?2 AND ?3)`;

// The domains with the most mail keep a row of their own.
const ROLL_UP_DAY = `
  WITH domains AS (
    SELECT r.workspace, r.domain, ${ROLLUP_COLUMNS.map((column) => `sum(r.${column}) AS ${column}`).join(", ")}
      FROM shard_workspaces w CROSS JOIN rollups_hourly r ON r.workspace = w.number AND r.hour >= ?1 * 24 AND r.hour < (?1 + 1) * 24
     WHERE w.number BETWEEN ?2 AND ?3 GROUP BY r.workspace, r.domain
  ), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY workspace ORDER BY domain IN ('', ?5), sent + refused DESC, domain) AS place FROM domains
  )
  INSERT INTO rollups_daily (workspace, day, domain, ${ROLLUP_COLUMNS.join(", ")})
  SELECT workspace, ?1, iif(place <= ?4 OR domain = '', domain, ?5) AS name, ${sums} FROM ranked GROUP BY workspace, name`;

const FIRST_DAY = "SELECT min(hour) / 24 - 1 AS day FROM rollups_hourly";

/** Sums hourly roll-ups into daily ones for each day (UTC) that ended. Safe to interrupt: a day is replaced as a whole. */
export async function* rollUpDays(ctx: MailCtx): Steps {
  const db = ctx.mail;
  const progress = await db.findRow<{ day: number }>("SELECT day FROM rollups_progress");
  const last = progress ?? (await db.findRow<{ day: number | null }>(FIRST_DAY));
  if (last?.day === null || last?.day === undefined) return;
  const steps = await workspaceSteps(ctx);
  for (const day of daysToRollUp(last.day, ctx.now()).slice(0, MAX_DAYS)) {
    for (const { first, last } of steps) {
      await db.batch([
        db.prepare(DELETE_DAY).bind(day, first, last),
        db.prepare(ROLL_UP_DAY).bind(day, first, last, MAX_DOMAINS, OTHER_DOMAINS),
      ]);
      yield;
    }
    const sql = "INSERT INTO rollups_progress (id, day) VALUES (1, ?1) ON CONFLICT DO UPDATE SET day = max(day, ?1)";
    await db.execute(sql, day);
  }
}
