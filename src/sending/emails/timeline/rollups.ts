import type { MailCtx, MailStatement } from "../../../platform/context.ts";
import type { MergeResult } from "./merge.ts";
import { emailColumns, RECIPIENT_COLUMNS, ROLLUP_COLUMNS, totalOf } from "./rollup-columns.ts";
import { hourOf, type RollupColumn, rollupColumns } from "./rollup-counts.ts";

const valuesOf = (columns: readonly string[]) => columns.map((column) => `value->>'${column}'`).join(", ");
const added = (columns: readonly string[]) =>
  columns.map((column) => `${column} = ${column} + excluded.${column}`).join(", ");

const ADD_TO_HOURS = `
  INSERT INTO rollups_hourly (workspace, hour, domain, ${ROLLUP_COLUMNS.join(", ")})
  SELECT value->>'workspace', value->>'hour', value->>'domain', ${valuesOf(ROLLUP_COLUMNS)} FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET ${added(ROLLUP_COLUMNS)}`;

const ADD_TO_TOTALS = `
  INSERT INTO rollups_totals (workspace, hour, ${RECIPIENT_COLUMNS.join(", ")})
  SELECT value->>'workspace', value->>'hour', ${valuesOf(RECIPIENT_COLUMNS)} FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET ${added(RECIPIENT_COLUMNS)}`;

// The key of rollups_daily is workspace, day, domain. A domain beyond the first MAX_DOMAINS of a day counts as `other`.
const ADD_TO_DAYS = `
  WITH j AS MATERIALIZED (SELECT value, value->>'workspace' AS w, (value->>'hour') / 24 AS d, value->>'domain' AS name FROM json_each(?1))
  INSERT INTO rollups_daily (workspace, day, domain, ${ROLLUP_COLUMNS.join(", ")})
  SELECT w, d, CASE WHEN name = '' OR EXISTS (SELECT 1 FROM rollups_daily r WHERE r.workspace = w AND r.day = d AND r.domain = name)
      OR (SELECT count(*) FROM rollups_daily r WHERE r.workspace = w AND r.day = d) < ?2 THEN name ELSE ?3 END,
    ${valuesOf(ROLLUP_COLUMNS)} FROM j WHERE true
  ON CONFLICT DO UPDATE SET ${added(ROLLUP_COLUMNS)}`;

/** Recipient domains of a workspace and day with rows of their own (docs/contract/analytics.md#counts); one row has the others. */
export const MAX_DOMAINS = 2_000;
export const OTHER_DOMAINS = "other";

const columnsOfEmails: Readonly<Partial<Record<RollupColumn, string>>> = emailColumns;

/** One row to add: a count by column. */
type RollupRow = Record<string, number | string> & { workspace: number; hour: number; domain: string };

/**
 * Returns the statements that add the counts of merged emails to the roll-ups, each in the hour of its event; none when
 * nothing counts. Counts of an hour that ended are added to its sums too: jobs sum an hour at the earliest two minutes after
 * its end, and replace what is there by the sum of the same rows.
 */
export function rollupStatements(
  ctx: MailCtx,
  merged: readonly Pick<MergeResult, "state" | "rollups">[],
): MailStatement[] {
  const rows = sumRollups(merged);
  if (rows.length === 0) return [];
  const db = ctx.mail;
  const late = rows.filter(({ hour }) => hour < hourOf(ctx.now()));
  const add = db.prepare(ADD_TO_HOURS).bind(JSON.stringify(rows));
  if (late.length === 0) return [add];
  return [
    add,
    db.prepare(ADD_TO_TOTALS).bind(JSON.stringify(late.map(toTotals))),
    db.prepare(ADD_TO_DAYS).bind(JSON.stringify(late), MAX_DOMAINS, OTHER_DOMAINS),
  ];
}

/** Returns what a row adds to the sums of its hour. */
function toTotals(row: RollupRow): RollupRow {
  const counts = rollupColumns.map((column) => [column, totalOf(column, row)]);
  return { ...Object.fromEntries(counts), workspace: row.workspace, hour: row.hour, domain: row.domain };
}

/**
 * Sums the counts per workspace, hour and recipient domain. The counts of an email as a whole go to the row of its first
 * domain in the hour, so that a lone email writes one row, or to that of domain '' when it has no other.
 */
function sumRollups(merged: readonly Pick<MergeResult, "state" | "rollups">[]): RollupRow[] {
  const sums = new Map<string, RollupRow>();
  for (const { state, rollups } of merged) {
    for (const counts of rollups) {
      const { hour } = counts;
      const ofDomain = rollups.find((other) => other.domain !== "" && other.hour === hour);
      const isOfEmail = counts.domain === "" && ofDomain !== undefined;
      const name = isOfEmail ? ofDomain.domain : counts.domain;
      const key = `${state.workspace} ${hour} ${name}`;
      const sum = sums.get(key) ?? zeroRow(state.workspace, hour, name);
      for (const field of rollupColumns) {
        const column: string | undefined = isOfEmail ? columnsOfEmails[field] : field;
        if (column !== undefined) sum[column] = Number(sum[column]) + counts[field];
      }
      sums.set(key, sum);
    }
  }
  return [...sums.values()];
}

const zeroRow = (workspace: number, hour: number, domain: string): RollupRow => ({
  ...Object.fromEntries(ROLLUP_COLUMNS.map((column) => [column, 0])),
  workspace,
  hour,
  domain,
});
