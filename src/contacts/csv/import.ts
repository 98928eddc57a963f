import type { CallerCtx } from "../../context.ts";
import { badRequest, tooLarge } from "../../errors.ts";
import { Reservation } from "../../idempotency/index.ts";
import { CsvReader, type Delimiter, detectDelimiter, isUtf8, withoutByteOrderMark } from "../../lib/csv/reader.ts";
import { copyToNewContacts } from "../../suppressions/index.ts";
import { getList, type ListRow } from "../queries.ts";
import { importLimits } from "../rules.ts";
import type { ImportOut } from "../schema.ts";
import { type Columns, isEmailHeader, readHeader } from "./columns.ts";
import { type ContactText, insertContacts } from "./insert.ts";
import { type Row, readRow } from "./read-row.ts";

/** A CSV file whose header was read. */
interface CsvFile {
  bytes: Uint8Array;
  delimiter: Delimiter;
  /** Number of cells of the header. */
  width: number;
  columns: Columns;
}

/**
 * Imports the contacts of a CSV file into a list (specification: CSV upload rules). Each thousand rows is one transaction,
 * so an import that fails midway keeps the rows before; repeating it skips those. Throws 404 for the list, 400 for a file
 * without data rows or email column or that is not UTF-8, 413 for too many rows, 409 while a call with the same
 * Idempotency-Key runs.
 */
export async function importContacts(ctx: CallerCtx, listId: string, file: Uint8Array): Promise<ImportOut> {
  const list = await getList(ctx, listId);
  const csv = openFile(file);
  requireRowCount(csv);
  const reservation = await Reservation.open(ctx);
  try {
    const result = await importRows(ctx, list, csv, reservation);
    await reservation?.finish(result);
    return result;
  } catch (error) {
    await reservation?.cancel();
    throw error;
  }
}

/** Throws 400 for a file that has no rows to import. */
function openFile(file: Uint8Array): CsvFile {
  const bytes = withoutByteOrderMark(file);
  if (bytes.length === 0) throw badRequest("The CSV file is empty");
  if (!isUtf8(bytes)) throw badRequest("The CSV file is not encoded in UTF-8");
  const found = detectDelimiter(bytes, isEmailHeader);
  if (!found) throw badRequest("The CSV file has no email column: its first row must contain the cell email");
  const columns = readHeader(found.header);
  if ("fault" in columns) throw badRequest(columns.fault);
  return { bytes, delimiter: found.delimiter, width: found.header.length, columns };
}

/** Throws 400 for a file without data rows and 413 for one with too many, before any row is written. */
function requireRowCount(csv: CsvFile): void {
  const max = importLimits.rows;
  // A line is at most one row, so only a file of many lines is parsed for its number of rows.
  const countUpTo = countLines(csv.bytes) > max + 1 ? max + 1 : 1;
  const reader = new CsvReader(csv.bytes, csv.delimiter);
  reader.read(1, csv.bytes.length);
  let rows = 0;
  for (let part = readPart(reader, csv); part.length > 0 && rows < countUpTo; part = readPart(reader, csv)) {
    rows += part.filter((row) => !("isBlank" in row)).length;
  }
  if (rows === 0) throw badRequest("The CSV file has no data rows");
  if (rows > max) throw tooLarge(`The CSV file has more than ${max} data rows`);
}

/** Counts line breaks, and the last line if it has none. */
function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 10 || (bytes[at] === 13 && bytes[at + 1] !== 10)) lines += 1;
  }
  const last = bytes[bytes.length - 1];
  return last === 10 || last === 13 ? lines : lines + 1;
}

/** A row of a part: a contact as text, or what it is instead. Nothing else of the row stays in memory. */
type PartRow = { number: number } & ({ contact: ContactText } | Exclude<Row, { contact: unknown }>);

/** Returns the next rows of the file; none at its end. */
function readPart(reader: CsvReader, { width, columns }: CsvFile): PartRow[] {
  return reader.map(importLimits.rowsPerBatch, importLimits.bytesPerBatch, (record): PartRow => {
    const row = "fault" in record ? { fault: record.fault } : readRow(record.cells, width, columns);
    if (!("contact" in row)) return { number: record.row, ...row };
    const { key } = row.contact;
    return { number: record.row, contact: { json: JSON.stringify(row.contact), key } };
  });
}

async function importRows(
  ctx: CallerCtx,
  list: ListRow,
  csv: CsvFile,
  reservation: Reservation | null,
): Promise<ImportOut> {
  const errors: string[] = [];
  let [imported, skipped, rejected] = [0, 0, 0];
  const reader = new CsvReader(csv.bytes, csv.delimiter);
  reader.read(1, csv.bytes.length);
  for (let part = readPart(reader, csv); part.length > 0; part = readPart(reader, csv)) {
    const contacts: ContactText[] = [];
    for (const row of part) {
      if ("contact" in row) contacts.push(row.contact);
      else if ("skipped" in row) skipped += 1;
      else if ("fault" in row) {
        rejected += 1;
        if (rejected <= importLimits.errors) errors.push(`Row ${row.number}: ${row.fault}`);
      }
    }
    const inserted = await importPart(ctx, list, contacts);
    imported += inserted;
    skipped += contacts.length - inserted;
    await reservation?.renew();
  }
  if (rejected > importLimits.errors) errors.push(`${rejected - importLimits.errors} more rows were rejected`);
  return { imported, skipped, errors };
}

/** Inserts the contacts that the list does not have. Returns their number. */
async function importPart(ctx: CallerCtx, list: ListRow, contacts: readonly ContactText[]): Promise<number> {
  if (contacts.length === 0) return 0;
  const inserted = await insertContacts(ctx, list, contacts);
  if (inserted > 0) await copyToNewContacts(ctx, ctx.workspace.number, [...new Set(contacts.map(({ key }) => key))]);
  return inserted;
}
