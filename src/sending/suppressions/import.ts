import type { CallerCtx } from "../../access/caller.ts";
import type { Columns } from "../../lib/csv/columns.ts";
import { openCsv, readStart } from "../../lib/csv/file.ts";
import { guessEmail } from "../../lib/csv/guess.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { importRows, type RefusedRow } from "../../platform/csv-imports/import-rows.ts";
import type { ImportedRows } from "../../platform/csv-imports/schema.ts";
import { spendStatement } from "../../platform/db/has-room.ts";
import { requireMainSpace } from "../../platform/jobs/shard-sizes.ts";
import { copyToContacts } from "./copy-to-contacts.ts";
import { type EntryColumns, readEntry } from "./read-entry.ts";
import { newSuppressions, type SuppressionEntry, suppressStatement } from "./suppress.ts";

/**
 * Adds the addresses of a CSV file to the suppression list of the workspace (docs/contract/suppressions.md#import). `reason`: of rows that
 * name none. Throws 400 for a file without data rows or email column or with damaged UTF-8, 413 for too many rows, 409 while a call with
 * the same Idempotency-Key runs.
 */
export async function importSuppressions(
  ctx: CallerCtx,
  file: Uint8Array,
  reason: SuppressionEntry["reason"],
  onRefused?: (row: RefusedRow) => void,
): Promise<ImportedRows> {
  requireMainSpace(ctx);
  const { header, rows } = await readStart(file);
  const csv = await openCsv(file, guessEmail(header, rows));
  const columns = entryColumns(csv.columns);
  const options = { reason, now: ctx.now() };
  let entries: SuppressionEntry[] = [];
  const take = (cells: readonly string[]) => {
    const row = readEntry(cells, csv.header.length, columns, options);
    if (!("entry" in row)) return row;
    entries.push({ ...row.entry, workspace: ctx.workspace.number, emailId: null });
    return "taken";
  };
  const store = async () => {
    const taken = entries;
    entries = [];
    return { imported: await addSuppressions(ctx, taken) };
  };
  return importRows(ctx, csv, { take, store }, onRefused);
}

function entryColumns({ email, metadata }: Columns): EntryColumns {
  const positionOf = (name: RegExp) => metadata.find(({ key }) => name.test(key))?.position ?? null;
  return {
    email,
    reason: positionOf(/^(?:reason|status)$/i),
    createdAt: positionOf(/^(?:created_at|unsub_time|unsubscribed_at)$/i),
  };
}

/** Adds entries of the workspace, and marks their contacts. Returns how many addresses are new, got a stronger reason or an unsubscribe. */
export async function addSuppressions(ctx: CallerCtx, entries: readonly SuppressionEntry[]): Promise<number> {
  const { id, number } = ctx.workspace;
  const [, added] = await ctx.db.batch([
    spendStatement(ctx, "suppressions", number, newSuppressions(entries)),
    suppressStatement(ctx, entries),
    auditIfChangedStatement(ctx, { action: "suppression.imported", target: id, detail: { rows: entries.length } }),
  ]);
  const changes = added?.meta.changes ?? 0;
  if (changes > 0) await copyToContacts(ctx, number, [...new Set(entries.map(({ email }) => email))]);
  return changes;
}
