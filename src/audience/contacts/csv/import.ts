import type { CallerCtx } from "../../../access/caller.ts";
import { type Columns, readHeader } from "../../../lib/csv/columns.ts";
import { type CsvFile, openCsv, readerOfRows } from "../../../lib/csv/file.ts";
import { importLimits } from "../../../lib/csv/limits.ts";
import type { CsvReader } from "../../../lib/csv/reader.ts";
import { badRequest } from "../../../lib/errors.ts";
import { nextTurn } from "../../../lib/yielding-steps.ts";
import { JsonChunkWriter } from "../../../platform/db/json-chunk-writer.ts";
import { Reservation } from "../../../platform/idempotency/reservation.ts";
import { copyToNewContacts } from "../../../sending/suppressions/index.ts";
import { getList, type ListRow } from "../queries.ts";
import type { ImportOut } from "../schema.ts";
import { insertContacts } from "./insert.ts";
import { readRow } from "./read-row.ts";

/**
 * Imports the contacts of a CSV file into a list (docs/contract/contacts.md#csv-import). Each thousand rows is one transaction,
 * so an import that fails midway keeps the rows before; repeating it skips those. Throws 404 for the list, 400 for a file
 * without data rows or email column or with damaged UTF-8, 413 for too many rows, 409 while a call with the same Idempotency-Key
 * runs. `source`: where the people agreed, when the caller states that.
 */
export async function importContacts(
  ctx: CallerCtx,
  listId: string,
  file: Uint8Array,
  source: string | null = null,
): Promise<ImportOut> {
  const list = await getList(ctx, listId);
  const csv = await openCsv(file);
  const columns = readHeader(csv.header);
  if ("issue" in columns) throw badRequest(columns.issue);
  const reservation = await Reservation.open(ctx);
  try {
    const result = await importRows(ctx, list, { ...csv, columns }, reservation, source);
    await reservation?.finish(result);
    return result;
  } catch (error) {
    await reservation?.cancel();
    throw error;
  }
}

/** A file whose columns are known. */
type ContactsFile = CsvFile & { columns: Columns };

/** The rows of one transaction. Nothing else of them stays in memory. */
interface Part {
  /** JSON arrays of the rows of contacts, with their ids, and the keys of their addresses. */
  contacts: string[];
  keys: string[];
  skipped: number;
  issues: string[];
}

/** Returns the next rows of the file, or null at its end. `writer` is empty before and after. */
function readPart(
  ctx: CallerCtx,
  reader: CsvReader,
  { header, columns }: ContactsFile,
  writer: JsonChunkWriter,
): Part | null {
  const part: Part = { contacts: [], keys: [], skipped: 0, issues: [] };
  const records = reader.each(importLimits.rowsPerBatch, importLimits.bytesPerBatch, (record) => {
    const row = "issue" in record ? record : readRow(record.cells, header.length, columns);
    if ("contact" in row) {
      writer.add(JSON.stringify({ id: ctx.newId(), ...row.contact }));
      part.keys.push(row.contact.key);
    } else if ("skipped" in row) part.skipped += 1;
    else if ("issue" in row) part.issues.push(`Row ${record.row}: ${row.issue}`);
  });
  part.contacts = writer.take();
  return records === 0 ? null : part;
}

async function importRows(
  ctx: CallerCtx,
  list: ListRow,
  csv: ContactsFile,
  reservation: Reservation | null,
  source: string | null,
): Promise<ImportOut> {
  const errors: string[] = [];
  let [imported, skipped] = [0, 0];
  const reader = readerOfRows(csv);
  const writer = new JsonChunkWriter();
  const next = () => readPart(ctx, reader, csv, writer);
  for (let part = next(); part !== null; part = next()) {
    reader.free();
    await nextTurn();
    errors.push(...part.issues);
    skipped += part.skipped + part.keys.length;
    const inserted = await importPart(ctx, list, part, source);
    imported += inserted;
    skipped -= inserted;
    await reservation?.renew();
    await nextTurn();
  }
  return { imported, skipped, errors, encoding: csv.encoding };
}

/** Inserts the contacts that the list does not have. Returns their number. */
async function importPart(
  ctx: CallerCtx,
  list: ListRow,
  { contacts, keys }: Part,
  source: string | null,
): Promise<number> {
  if (keys.length === 0) return 0;
  const inserted = await insertContacts(ctx, list, contacts, source);
  if (inserted > 0) await copyToNewContacts(ctx, ctx.workspace.number, [...new Set(keys)]);
  return inserted;
}
