import type { CallerCtx } from "../../access/caller.ts";
import { readHeader } from "../../lib/csv/columns.ts";
import { type CsvFile, openCsv, readerOfRows } from "../../lib/csv/file.ts";
import { importLimits } from "../../lib/csv/limits.ts";
import type { CsvReader } from "../../lib/csv/reader.ts";
import { badRequest } from "../../lib/errors.ts";
import { nextTurn } from "../../lib/yielding-steps.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { Reservation } from "../../platform/idempotency/reservation.ts";
import { copyToContacts } from "./copy-to-contacts.ts";
import { type EntryColumns, type EntryRow, type RowEntry, readEntry } from "./read-entry.ts";
import type { SuppressionImportOut } from "./schema.ts";
import { type SuppressionEntry, suppressStatement } from "./suppress.ts";

/**
 * Adds the addresses of a CSV file to the suppression list of the workspace (docs/contract/suppressions.md#import). Each thousand rows
 * is one transaction, so an import that fails midway keeps the rows before; repeating it adds the rest. `reason`: of rows that name none.
 * Throws 400 for a file without data rows or email column or with damaged UTF-8, 413 for too many rows, 409 while a call with the same
 * Idempotency-Key runs.
 */
export async function importSuppressions(
  ctx: CallerCtx,
  file: Uint8Array,
  reason: SuppressionEntry["reason"],
): Promise<SuppressionImportOut> {
  const csv = await openCsv(file);
  const columns = columnsOf(csv.header);
  const reservation = await Reservation.open(ctx);
  try {
    const result = await importRows(ctx, csv, columns, reservation, reason);
    await reservation?.finish(result);
    return result;
  } catch (error) {
    await reservation?.cancel();
    throw error;
  }
}

/** Throws 400 for a header with a NUL character. */
function columnsOf(header: readonly string[]): EntryColumns {
  const columns = readHeader(header);
  if ("issue" in columns) throw badRequest(columns.issue);
  const positionOf = (name: string) => columns.metadata.find(({ key }) => key.toLowerCase() === name)?.position ?? null;
  return { email: columns.email, reason: positionOf("reason"), createdAt: positionOf("created_at") };
}

async function importRows(
  ctx: CallerCtx,
  csv: CsvFile,
  columns: EntryColumns,
  reservation: Reservation | null,
  reason: SuppressionEntry["reason"],
): Promise<SuppressionImportOut> {
  const reader = readerOfRows(csv);
  const options = { reason, now: ctx.now() };
  const read = (cells: readonly string[]) => readEntry(cells, csv.header.length, columns, options);
  const result: SuppressionImportOut = { imported: 0, skipped: 0, errors: [], encoding: csv.encoding };
  const next = () => readPart(reader, read, result);
  for (let part = next(); part !== null; part = next()) {
    reader.free();
    await nextTurn();
    const added = await addEntries(ctx, part);
    result.imported += added;
    result.skipped += part.length - added;
    await reservation?.renew();
    await nextTurn();
  }
  return result;
}

/** Returns the entries of one transaction, or null at the end of the file. Adds to `result` what becomes of the other rows. */
function readPart(
  reader: CsvReader,
  read: (cells: readonly string[]) => EntryRow,
  result: SuppressionImportOut,
): RowEntry[] | null {
  const entries: RowEntry[] = [];
  const records = reader.each(importLimits.rowsPerBatch, importLimits.bytesPerBatch, (record) => {
    const row = "issue" in record ? record : read(record.cells);
    if ("entry" in row) entries.push(row.entry);
    else if ("skipped" in row) result.skipped += 1;
    else if ("issue" in row) result.errors.push(`Row ${record.row}: ${row.issue}`);
  });
  return records === 0 ? null : entries;
}

/** Adds entries, and marks their contacts. Returns how many addresses are new, got a stronger reason or an unsubscribe. */
async function addEntries(ctx: CallerCtx, entries: readonly RowEntry[]): Promise<number> {
  if (entries.length === 0) return 0;
  const { id, number: workspace } = ctx.workspace;
  const detail = { rows: entries.length };
  const [added] = await ctx.db.batch([
    suppressStatement(
      ctx,
      entries.map((entry) => ({ ...entry, workspace, emailId: null })),
    ),
    auditIfChangedStatement(ctx, { action: "suppression.imported", target: id, detail }),
  ]);
  const changes = added?.meta.changes ?? 0;
  if (changes > 0) await copyToContacts(ctx, workspace, [...new Set(entries.map(({ email }) => email))]);
  return changes;
}
