import type { CallerCtx } from "../../../access/caller.ts";
import { inMiB } from "../../../lib/bytes.ts";
import { type Columns, isEmailHeader, readHeader } from "../../../lib/csv/columns.ts";
import { decodeText, type Encoding } from "../../../lib/csv/encodings.ts";
import {
  CsvReader,
  type CsvRecord,
  countLines,
  detectDelimiter,
  encodingOf,
  withoutByteOrderMark,
  withoutSeparatorLine,
} from "../../../lib/csv/reader.ts";
import type { Delimiter } from "../../../lib/csv/rules.ts";
import { badRequest, tooLarge } from "../../../lib/errors.ts";
import { nextTurn, YieldingSteps } from "../../../lib/yielding-steps.ts";
import { JsonChunkWriter } from "../../../platform/db/json-chunk-writer.ts";
import { Reservation } from "../../../platform/idempotency/reservation.ts";
import { copyToNewContacts } from "../../../sending/suppressions/index.ts";
import { getList, type ListRow } from "../queries.ts";
import { importLimits, importStep } from "../rules.ts";
import type { ImportOut } from "../schema.ts";
import { insertContacts } from "./insert.ts";
import { isBlank, readRow } from "./read-row.ts";

/** A CSV file whose header was read. */
interface CsvFile {
  /** In UTF-8. */
  bytes: Uint8Array;
  /** That of the file as it was uploaded. */
  encoding: Encoding;
  delimiter: Delimiter;
  /** Number of cells of the header. */
  width: number;
  columns: Columns;
}

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
  const steps = new YieldingSteps(importStep);
  const pause: Pause = (bytes) => steps.add(0, bytes);
  const csv = await openFile(file, pause);
  await requireRowCount(csv, pause);
  const reservation = await Reservation.open(ctx);
  try {
    const result = await importRows(ctx, list, csv, reservation, source);
    await reservation?.finish(result);
    return result;
  } catch (error) {
    await reservation?.cancel();
    throw error;
  }
}

/** Counts bytes that were read, and lets other requests get their turn. */
type Pause = (bytes: number) => Promise<void>;

/** Throws 400 for a file that has no rows to import. */
async function openFile(file: Uint8Array, pause: Pause): Promise<CsvFile> {
  const encoding = await encodingOf(file, pause);
  if (encoding === null) throw badRequest("The CSV file has bytes that are not UTF-8 among characters that are");
  const { bytes, delimiters } = withoutSeparatorLine(withoutByteOrderMark(toUtf8(file, encoding)));
  if (bytes.length === 0) throw badRequest("The CSV file is empty");
  const found = detectDelimiter(bytes, isEmailHeader, delimiters);
  await nextTurn();
  if (!found) throw badRequest("The CSV file has no email column: its first row must contain the cell email");
  const columns = readHeader(found.header);
  if ("issue" in columns) throw badRequest(columns.issue);
  return { bytes, encoding, delimiter: found.delimiter, width: found.header.length, columns };
}

/** Returns a file in UTF-8. Throws 413 for one in another encoding that is too large: its text is held as a whole. */
function toUtf8(file: Uint8Array, encoding: Encoding): Uint8Array {
  if (encoding === "utf-8") return file;
  const max = importLimits.recodedBytes;
  if (file.length > max) throw tooLarge(`A CSV file in ${encoding} may have ${inMiB(max)}; save it in UTF-8`);
  return new TextEncoder().encode(decodeText(file, encoding, true));
}

/** Throws 400 for a file without data rows and 413 for one with too many, before any row is written. */
async function requireRowCount(csv: CsvFile, pause: Pause): Promise<void> {
  const max = importLimits.rows;
  // A line is at most one row, so only a file of many lines is parsed for its number of rows.
  const countUpTo = (await countLines(csv.bytes, pause)) > max + 1 ? max + 1 : 1;
  const reader = readerOfRows(csv);
  await nextTurn();
  let rows = 0;
  const count = (record: CsvRecord) => {
    if ("issue" in record || !isBlank(record.cells)) rows += 1;
  };
  while (rows < countUpTo && reader.each(importLimits.rowsPerBatch, importLimits.bytesPerBatch, count) > 0)
    await nextTurn();
  if (rows === 0) throw badRequest("The CSV file has no data rows");
  if (rows > max) throw tooLarge(`The CSV file has more than ${max} data rows`);
}

/** Returns a reader of the rows after the header. */
function readerOfRows({ bytes, delimiter }: CsvFile): CsvReader {
  const reader = new CsvReader(bytes, delimiter);
  reader.read(1, bytes.length);
  return reader;
}

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
  { width, columns }: CsvFile,
  writer: JsonChunkWriter,
): Part | null {
  const part: Part = { contacts: [], keys: [], skipped: 0, issues: [] };
  const records = reader.each(importLimits.rowsPerBatch, importLimits.bytesPerBatch, (record) => {
    const row = "issue" in record ? record : readRow(record.cells, width, columns);
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
  csv: CsvFile,
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
