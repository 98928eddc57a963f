import { emailCounters, type RollupColumn, recipientCounters, rollupColumns } from "./rollup-counts.ts";

/**
 * Columns that count emails, by the counter that they belong to. The others count recipients. Analytics reads those of opens and
 * clicks; the released version reads the others too, after a rollback.
 */
export const emailColumns = {
  sent: "emails_sent",
  delivered: "emails_delivered",
  bounced: "emails_bounced",
  failed: "emails_failed",
  opens: "emails_opened",
  clicks: "emails_clicked",
  complained: "emails_complained",
  deferred: "emails_deferred",
  unsubscribed: "emails_unsubscribed",
  refused: "emails_refused",
} as const satisfies Partial<Record<RollupColumn, string>>;

/** Columns of a roll-up row that count recipients. `rollups_totals` has the same. */
export const RECIPIENT_COLUMNS: readonly RollupColumn[] = rollupColumns;

/** Columns of the counters of a roll-up row. */
export const ROLLUP_COLUMNS: readonly string[] = [...rollupColumns, ...Object.values(emailColumns)];

/** Returns the count of a row in `rollups_totals`. Emails without a known domain are in the row of domain ''. */
export function totalOf(column: RollupColumn, row: Readonly<Record<string, number | string>>): number {
  const ownCount = Number(row[column]);
  if (column !== "opens" && column !== "clicks") return row.domain === "" ? 0 : ownCount;
  return Number(row[emailColumns[column]]) + (row.domain === "" ? ownCount : 0);
}

/** The sums of `totalOf` over rows `r`, named as the columns of `rollups_totals`. */
export const TOTAL_SUMS_SQL = [
  ...recipientCounters.map((column) => `sum(iif(r.domain = '', 0, r.${column})) AS ${column}`),
  ...emailCounters.map((column) => `sum(r.${emailColumns[column]} + iif(r.domain = '', r.${column}, 0)) AS ${column}`),
].join(", ");
