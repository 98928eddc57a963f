import type { MailCtx } from "../../context.ts";
import { mailDb } from "../../db/client.ts";
import type { MailStatement } from "../../db/database.ts";
import { type MergeResult, rollupColumns } from "./merge.ts";

/** Columns that count emails, by the counter that they belong to. The others count recipients. */
const emailColumns: Readonly<Record<(typeof rollupColumns)[number], string>> = {
  sent: "emails_sent",
  delivered: "emails_delivered",
  bounced: "emails_bounced",
  failed: "emails_failed",
  opens: "emails_opened",
  clicks: "emails_clicked",
};

/** Columns of the counters of a roll-up row. */
export const ROLLUP_COLUMNS: readonly string[] = [...rollupColumns, ...Object.values(emailColumns)];

const ADD_TO_ROLLUPS = `
  INSERT INTO rollups_hourly (workspace, hour, domain, ${ROLLUP_COLUMNS.join(", ")})
  SELECT value->>'workspace', ?2, value->>'domain', ${ROLLUP_COLUMNS.map((column) => `value->>'${column}'`).join(", ")}
    FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET ${ROLLUP_COLUMNS.map((column) => `${column} = ${column} + excluded.${column}`).join(", ")}`;

/** One row to add: a count by column. */
type RollupRow = Record<string, number | string> & { workspace: number; domain: string };

/** Returns the statement that adds the counts of merged emails to the roll-ups of this hour; none when nothing counts. */
export function rollupStatements(
  ctx: MailCtx,
  merged: readonly Pick<MergeResult, "state" | "rollups">[],
): MailStatement[] {
  const rows = sumRollups(merged);
  if (rows.length === 0) return [];
  return [
    mailDb(ctx)
      .prepare(ADD_TO_ROLLUPS)
      .bind(JSON.stringify(rows), Math.floor(ctx.now() / 3_600_000)),
  ];
}

/**
 * Sums the counts per workspace and recipient domain. The counts of an email as a whole go to the row of its first
 * domain, so that a lone email writes one row, or to that of domain '' when it has no other.
 */
function sumRollups(merged: readonly Pick<MergeResult, "state" | "rollups">[]): RollupRow[] {
  const sums = new Map<string, RollupRow>();
  for (const { state, rollups } of merged) {
    const domain = rollups.find((counts) => counts.domain !== "")?.domain ?? "";
    for (const counts of rollups) {
      const isOfEmail = counts.domain === "" && domain !== "";
      const name = isOfEmail ? domain : counts.domain;
      const key = `${state.workspace} ${name}`;
      const sum = sums.get(key) ?? zeroRow(state.workspace, name);
      for (const field of rollupColumns) {
        const column = isOfEmail ? emailColumns[field] : field;
        sum[column] = Number(sum[column]) + counts[field];
      }
      sums.set(key, sum);
    }
  }
  return [...sums.values()];
}

const zeroRow = (workspace: number, domain: string): RollupRow => ({
  ...Object.fromEntries(ROLLUP_COLUMNS.map((column) => [column, 0])),
  workspace,
  domain,
});
