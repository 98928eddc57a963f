import type { MailCtx, MailStatement } from "../../platform/context.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { workspaceSteps } from "../../platform/jobs/workspace-steps.ts";
import {
  MAX_DOMAINS,
  OTHER_DOMAINS,
  RECIPIENT_COLUMNS,
  ROLLUP_COLUMNS,
  TOTAL_SUMS_SQL,
} from "../../sending/emails/index.ts";
import { hoursToClose } from "./rules.ts";

/** Ranges of hours of one run. After a long outage, or an upgrade, the next runs do the rest. */
const MAX_RANGES = 100;

const replaced = RECIPIENT_COLUMNS.map((column) => `${column} = excluded.${column}`).join(", ");

// Replaces what counts that came late have added, since the rows of the hour have them too.
const SUM_HOURS = `
  INSERT INTO rollups_totals (workspace, hour, ${RECIPIENT_COLUMNS.join(", ")})
  SELECT r.workspace, r.hour, ${TOTAL_SUMS_SQL}
    FROM shard_workspaces w CROSS JOIN rollups_hourly r ON r.workspace = w.number AND r.hour BETWEEN ?1 AND ?2
   WHERE w.number BETWEEN ?3 AND ?4 GROUP BY r.workspace, r.hour
  ON CONFLICT DO UPDATE SET ${replaced}`;

const FIND_FULL = `
  SELECT r.workspace, r.hour FROM shard_workspaces w
    CROSS JOIN rollups_hourly r ON r.workspace = w.number AND r.hour BETWEEN ?1 AND ?2
   WHERE w.number BETWEEN ?3 AND ?4 GROUP BY r.workspace, r.hour HAVING count(*) > ?5 + 2`;

// Without the rows that count no domain, or those beyond already.
const BEYOND = `
  SELECT domain FROM rollups_hourly WHERE workspace = ?1 AND hour = ?2 AND domain NOT IN ('', ?4)
   ORDER BY sent + refused DESC, domain LIMIT -1 OFFSET ?3`;

const FOLD = `
  INSERT INTO rollups_hourly (workspace, hour, domain, ${ROLLUP_COLUMNS.join(", ")})
  SELECT ?1, ?2, ?4, ${ROLLUP_COLUMNS.map((column) => `sum(${column})`).join(", ")} FROM rollups_hourly
   WHERE workspace = ?1 AND hour = ?2 AND domain IN (${BEYOND}) GROUP BY hour
  ON CONFLICT DO UPDATE SET ${ROLLUP_COLUMNS.map((column) => `${column} = ${column} + excluded.${column}`).join(", ")}`;

const DELETE_FOLDED = `DELETE FROM rollups_hourly WHERE workspace = ?1 AND hour = ?2 AND domain IN (${BEYOND})`;

const FIND_CLOSED = `
  SELECT coalesce((SELECT hour FROM rollups_closed), (SELECT min(hour) - 1 FROM rollups_hourly)) AS hour`;

const SAVE_CLOSED =
  "INSERT INTO rollups_closed (id, hour) VALUES (1, ?1) ON CONFLICT DO UPDATE SET hour = max(hour, ?1)";

/**
 * Sums the roll-ups of each hour that ended per workspace, and counts recipient domains beyond MAX_DOMAINS of a workspace and
 * hour as OTHER_DOMAINS. Safe to interrupt and to repeat: sums are replaced as a whole.
 */
export async function* closeHours(ctx: MailCtx): Steps {
  const db = ctx.mail;
  const closed = await db.findRow<{ hour: number | null }>(FIND_CLOSED);
  if (closed?.hour === null || closed?.hour === undefined) return;
  const steps = await workspaceSteps(ctx);
  for (const { first, last } of hoursToClose(closed.hour, ctx.now()).slice(0, MAX_RANGES)) {
    for (const step of steps) {
      const range = [first, last, step.first, step.last];
      await db.execute(SUM_HOURS, ...range);
      const results = await db.listRows<{ workspace: number; hour: number }>(FIND_FULL, ...range, MAX_DOMAINS);
      if (results.length > 0) await db.batch(results.flatMap((full) => foldStatements(ctx, full)));
      yield;
    }
    await db.execute(SAVE_CLOSED, last);
  }
}

function foldStatements(ctx: MailCtx, { workspace, hour }: { workspace: number; hour: number }): MailStatement[] {
  return [FOLD, DELETE_FOLDED].map((sql) => ctx.mail.prepare(sql).bind(workspace, hour, MAX_DOMAINS, OTHER_DOMAINS));
}
