import { type RollupColumn, rollupColumns } from "./rollup-counts.ts";

/** Columns that count emails, by the counter that they belong to. The others count recipients. */
export const emailColumns: Readonly<Record<RollupColumn, string>> = {
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
};

/** Columns of a roll-up row that count recipients. `rollups_totals` has the same, which count emails. */
export const RECIPIENT_COLUMNS: readonly RollupColumn[] = rollupColumns;

/** Columns of the counters of a roll-up row. */
export const ROLLUP_COLUMNS: readonly string[] = [...rollupColumns, ...Object.values(emailColumns)];

/**
 * The sums of the counters of emails of rows `r`, named as the columns of `rollups_totals`. The row of domain '' counts emails
 * only.
 */
export const TOTAL_SUMS_SQL = rollupColumns
  .map((column) => `sum(r.${emailColumns[column]} + iif(r.domain = '', r.${column}, 0)) AS ${column}`)
  .join(", ");
