import { inMiB } from "../../lib/bytes.ts";
import { badRequest, tooLarge } from "../../lib/errors.ts";
import { nextTurn, YieldingSteps } from "../../lib/yielding-steps.ts";
import { unmarkFormula } from "./cells.ts";
import { type Columns, type ColumnUses, isEmailHeader, NO_EMAIL, readHeader } from "./columns.ts";
import { DAMAGED, decodeText, type Encoding } from "./encodings.ts";
import { importLimits, importStep } from "./limits.ts";
import {
  CsvReader,
  type CsvRecord,
  countLines,
  type Delimiter,
  detectDelimiter,
  encodingOf,
  withoutByteOrderMark,
  withoutSeparatorLine,
} from "./reader.ts";
import { isBlank } from "./rows.ts";

/** A CSV file with a column of addresses, whose header was read. */
export interface CsvFile {
  /** In UTF-8. */
  bytes: Uint8Array;
  /** That of the file as it was uploaded. */
  encoding: Encoding;
  delimiter: Delimiter;
  header: string[];
  columns: Columns;
}

/** Counts bytes that were read, and lets other requests get their turn. */
type Pause = (bytes: number) => Promise<void>;

/**
 * Opens a file that is imported (docs/contract/contacts.md#csv-import). Throws 400 for one without data rows or email column, without a
 * column that `uses` names, with damaged UTF-8 or a NUL character in its header, 413 for too many rows.
 */
export async function openCsv(file: Uint8Array, uses: ColumnUses = {}): Promise<CsvFile> {
  const steps = new YieldingSteps(importStep);
  const pause: Pause = (bytes) => steps.add(0, bytes);
  const isWanted = (cell: string) => isEmailHeader(cell) || Object.hasOwn(uses, unmarkFormula(cell));
  const csv = await openFile(file, pause, [isWanted]);
  await nextTurn();
  const columns = readHeader(csv.header, uses);
  if ("issue" in columns) throw badRequest(columns.issue);
  await requireRowCount(csv, pause);
  return { ...csv, columns };
}

/** Bytes of which the first rows are read. */
const START_BYTES = 262_144;
/** Rows by which columns are guessed. */
const START_ROWS = 5;

/**
 * Reads the header and the first rows of a file, of which the first START_BYTES and one more are enough. A row that is no valid CSV is null.
 * Throws 400 for a file that is empty or has damaged UTF-8.
 */
export async function readStart(file: Uint8Array) {
  const isCut = file.length > START_BYTES;
  const csv = await openFile(file.subarray(0, START_BYTES), nextTurn, [isEmailHeader, () => true], isCut);
  const records = readerOfRows(csv).read(2 * START_ROWS, START_BYTES);
  // The rest of the last one may follow.
  const whole = records.slice(0, isCut ? -1 : undefined).map((row) => ("cells" in row ? row.cells : null));
  const rows = whole.filter((cells) => cells === null || !isBlank(cells)).slice(0, START_ROWS);
  return { header: csv.header.map(unmarkFormula), rows };
}

/** Opens a file, whose header is the first row with a cell that one of `wanted` accepts, as early as possible. */
async function openFile(
  file: Uint8Array,
  pause: Pause,
  wanted: readonly ((cell: string) => boolean)[],
  isCut = false,
): Promise<Omit<CsvFile, "columns">> {
  const encoding = await encodingOf(file, pause, isCut);
  if (encoding === null) throw badRequest(DAMAGED);
  const { bytes, delimiters } = withoutSeparatorLine(withoutByteOrderMark(toUtf8(file, encoding)));
  if (bytes.length === 0) throw badRequest("The CSV file is empty");
  const found = wanted.reduce(
    (earlier, isWanted) => earlier ?? detectDelimiter(bytes, isWanted, delimiters),
    null as ReturnType<typeof detectDelimiter>,
  );
  if (!found) throw badRequest(NO_EMAIL);
  if (found.header.some((cell) => cell.includes("\0"))) throw badRequest("The header contains a NUL character");
  return { bytes, encoding, ...found };
}

/** Returns a file in UTF-8. Throws 413 for one in another encoding that is too large: its text is held as a whole. */
function toUtf8(file: Uint8Array, encoding: Encoding): Uint8Array {
  if (encoding === "utf-8") return file;
  const max = importLimits.recodedBytes;
  if (file.length > max) throw tooLarge(`A CSV file in ${encoding} may have ${inMiB(max)}; save it in UTF-8`);
  return new TextEncoder().encode(decodeText(file, encoding));
}

/** Throws 400 for a file without data rows and 413 for one with too many, before any row is written. */
async function requireRowCount(csv: Omit<CsvFile, "columns">, pause: Pause): Promise<void> {
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
export function readerOfRows({ bytes, delimiter }: Pick<CsvFile, "bytes" | "delimiter">): CsvReader {
  const reader = new CsvReader(bytes, delimiter);
  reader.read(1, bytes.length);
  return reader;
}
