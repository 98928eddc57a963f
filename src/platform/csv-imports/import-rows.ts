import { type CsvFile, readerOfRows } from "../../lib/csv/file.ts";
import { importLimits } from "../../lib/csv/limits.ts";
import type { LeftOutRow } from "../../lib/csv/rows.ts";
import { nextTurn } from "../../lib/yielding-steps.ts";
import type { WorkspaceCtx } from "../context.ts";
import { Reservation } from "../idempotency/reservation.ts";
import type { ImportedRows } from "./schema.ts";

/** Stores the rows of a file, as many at a time as one transaction takes. */
export interface RowStore {
  /** Reads the cells of a row and keeps what they say for `store`, or returns why the row is left out. */
  take(cells: readonly string[]): LeftOutRow | "taken";
  /** Stores what was taken since the last call, which is one row at least. Returns how many of these rows added or changed something. */
  store(): Promise<Pick<ImportedRows, "imported" | "updated">>;
}

/** A row that is refused, without cells when it is no valid CSV, and the header of its file. */
export interface RefusedRow {
  header: readonly string[];
  cells: readonly string[];
  issue: string;
}

/**
 * Imports the rows of a file (docs/contract/contacts.md#csv-import). Each thousand is one transaction, so an import that fails midway
 * keeps the rows before, and repeating it adds the rest. Throws 409 while a call with the same Idempotency-Key runs.
 */
export async function importRows(
  ctx: WorkspaceCtx,
  csv: CsvFile,
  rows: RowStore,
  onRefused?: (row: RefusedRow) => void,
): Promise<ImportedRows> {
  const reservation = await Reservation.open(ctx);
  try {
    const result = await storeRows(csv, rows, reservation, onRefused);
    await reservation?.finish(result);
    return result;
  } catch (error) {
    await reservation?.cancel();
    throw error;
  }
}

async function storeRows(
  csv: CsvFile,
  rows: RowStore,
  reservation: Reservation | null,
  onRefused?: (row: RefusedRow) => void,
): Promise<ImportedRows> {
  const reader = readerOfRows(csv);
  const result: ImportedRows = { imported: 0, skipped: 0, errors: [], encoding: csv.encoding };
  for (;;) {
    let taken = 0;
    const records = reader.each(importLimits.rowsPerBatch, importLimits.bytesPerBatch, (record) => {
      const row = "issue" in record ? record : rows.take(record.cells);
      if (row === "taken") taken += 1;
      else if ("skipped" in row) result.skipped += 1;
      else if ("issue" in row) {
        result.errors.push(`Row ${record.row}: ${row.issue}`);
        onRefused?.({ header: csv.header, cells: "cells" in record ? record.cells : [], issue: row.issue });
      }
    });
    if (records === 0) return result;
    reader.free();
    await nextTurn();
    const { imported, updated } = taken === 0 ? { imported: 0 } : await rows.store();
    result.imported += imported;
    if (updated !== undefined) result.updated = (result.updated ?? 0) + updated;
    result.skipped += taken - imported - (updated ?? 0);
    await reservation?.renew();
    await nextTurn();
  }
}
