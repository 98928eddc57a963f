import { CsvError, parse } from "csv-parse/sync";
import { type Encoding, EncodingGuess } from "./encodings.ts";

/** Reads CSV (RFC 4180) from bytes of UTF-8, in parts, with a bounded amount of memory for each part. */

/** A record, or the issue of one. `row` counts records from 1; the header is row 1, as in a spreadsheet. */
export type CsvRecord = { row: number; cells: string[] } | { row: number; issue: string };

/** Separators that are detected. */
const DELIMITERS = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/**
 * Greatest number of characters of the cells of a record after the header, where the last cell counts in bytes. A quote that is
 * not closed would otherwise make one record of the rest of a file.
 */
export const MAX_RECORD_CHARACTERS = 131_072;
/** The same as MAX_RECORD_CHARACTERS, for the first read, which is of the header. */
const MAX_HEADER_CHARACTERS = 1_048_576;
/** Greatest size of a record in bytes, with its separators: a line of these alone could make one record of 24 million cells. */
export const MAX_RECORD_BYTES = 1_048_576;
/** Broken records after which reading ends. Each may take MAX_RECORD_CHARACTERS, so this also bounds the time of a hostile file. */
const MAX_BROKEN_RECORDS = 200;

const [OPENING_QUOTE, NOT_CLOSED, TOO_LONG] = ["INVALID_OPENING_QUOTE", "CSV_QUOTE_NOT_CLOSED", "CSV_MAX_RECORD_SIZE"];
const issues: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: "text follows the closing quote of a cell",
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: "text follows the closing quote of a cell",
  [NOT_CLOSED]: "the quote of a cell is not closed",
  [TOO_LONG]: `the cells are longer than ${MAX_RECORD_CHARACTERS} characters; perhaps a quote is not closed`,
};

/** Why a record cannot be read. */
type Problem = { code: string };
type AddRecord = (record: CsvRecord) => void;

export class CsvReader {
  #bytes: Uint8Array;
  readonly #delimiter: Delimiter;
  #at = 0;
  #row = 0;
  #broken = 0;

  constructor(bytes: Uint8Array, delimiter: Delimiter) {
    this.#bytes = bytes;
    this.#delimiter = delimiter;
  }

  /** Returns the next records, at most `maxRecords` and those of about `maxBytes`; none at the end. */
  read(maxRecords: number, maxBytes: number): CsvRecord[] {
    const records: CsvRecord[] = [];
    this.each(maxRecords, maxBytes, (record) => records.push(record));
    return records;
  }

  /**
   * Calls `take` with each of the next records as soon as it is read, so that its cells are garbage before the next.
   * Returns their number. A broken record ends at its first line break, so that the records after it are read.
   */
  each(maxRecords: number, maxBytes: number, take: (record: CsvRecord) => void): number {
    let count = 0;
    const add = (record: CsvRecord) => {
      count += 1;
      take(record);
    };
    const end = Math.min(this.#at + maxBytes, this.#bytes.length);
    while (count < maxRecords && this.#at < end) {
      const error = this.#parse(add, maxRecords - count, end - this.#at, false);
      if (error !== null) this.#recover(add, error);
    }
    return count;
  }

  /**
   * Frees the memory of what was read, when the bytes are a view of a resizable buffer: moves the rest to the start of the
   * buffer and shrinks it. No other view of it may be used afterwards.
   */
  free(): void {
    const { buffer } = this.#bytes;
    if (!(buffer instanceof ArrayBuffer && buffer.resizable)) return;
    const rest = this.#bytes.subarray(this.#at);
    new Uint8Array(buffer).copyWithin(0, rest.byteOffset, rest.byteOffset + rest.length);
    buffer.resize(rest.length);
    this.#bytes = new Uint8Array(buffer);
    this.#at = 0;
  }

  /**
   * Parses up to a limit, the end of the file or a record that cannot be read, whose problem it returns. Of the bytes it gets
   * only those in which the next record must end, so that one record takes a bounded time. Throws other errors than CsvError.
   */
  #parse(add: AddRecord, maxRecords: number, maxBytes: number, isRelaxed: boolean): Problem | null {
    const limitReached = new Error("the limit is reached");
    const more = maxRecords > 1 ? Math.min(maxBytes, MAX_RECORD_BYTES) : 0;
    const bytes = this.#bytes.subarray(this.#at, this.#at + MAX_RECORD_BYTES + more);
    const isCut = this.#at + bytes.length < this.#bytes.length;
    let [read, end] = [0, 0];
    let problem: Problem | null = null;
    try {
      parse(bytes, {
        ...options(this.#delimiter, isRelaxed),
        max_record_size: this.#row === 0 ? MAX_HEADER_CHARACTERS : MAX_RECORD_CHARACTERS,
        on_record: (cells: string[], { bytes: recordEnd }: { bytes: number }) => {
          // The rest of it may follow.
          if (isCut && recordEnd >= bytes.length) return null;
          this.#row += 1;
          add({ row: this.#row, cells });
          read += 1;
          end = recordEnd;
          if (read >= maxRecords || end >= maxBytes) throw limitReached;
          return null;
        },
      });
      if (isCut && read === 0) problem = { code: TOO_LONG };
      if (!isCut) end = bytes.length;
    } catch (error) {
      if (error !== limitReached && !(error instanceof CsvError)) throw error;
      if (error instanceof CsvError) problem = problemOf(error, isCut, read);
    }
    this.#at += end;
    return problem;
  }

  /** Reads the record at an error as plain text if only a quote stands inside a cell, as in `5" wide`. Else skips it. */
  #recover(add: AddRecord, error: Problem): void {
    const problem = error.code === OPENING_QUOTE ? this.#parse(add, 1, this.#bytes.length, true) : error;
    if (problem !== null) add(this.#skipBroken(problem));
  }

  /** Moves behind the first line of a broken record and returns its issue. */
  #skipBroken({ code }: Problem): CsvRecord {
    this.#row += 1;
    this.#broken += 1;
    const issue = issues[code] ?? "the row is not valid CSV";
    if (this.#broken >= MAX_BROKEN_RECORDS) {
      this.#at = this.#bytes.length;
      return { row: this.#row, issue: `${issue}. The file has too many broken rows; the rest was not read` };
    }
    this.#at = endOfLine(this.#bytes, this.#at);
    return { row: this.#row, issue };
  }
}

/** Returns the problem of a record. A quote that is open where the bytes are cut is closed later, if the record has more bytes. */
function problemOf({ code }: CsvError, isCut: boolean, read: number): Problem | null {
  if (!isCut || code !== NOT_CLOSED) return { code };
  return read > 0 ? null : { code: TOO_LONG };
}

const options = (delimiter: Delimiter, isRelaxed: boolean) => ({
  bom: false,
  delimiter,
  record_delimiter: ["\r\n", "\n", "\r"],
  relax_column_count: true,
  relax_quotes: isRelaxed,
  trim: true,
});

/** Returns the offset behind the next line break, or the length of the bytes. */
function endOfLine(bytes: Uint8Array, from: number): number {
  const [lf, cr] = [bytes.indexOf(10, from), bytes.indexOf(13, from)];
  if (cr === -1 || (lf !== -1 && lf < cr)) return lf === -1 ? bytes.length : lf + 1;
  return lf === cr + 1 ? lf + 1 : cr + 1;
}

/**
 * Returns the separator with which the first record has a cell that `isWanted` accepts, and this record; of several the
 * one with the most cells. Returns null when no separator gives such a cell.
 */
export function detectDelimiter(
  bytes: Uint8Array,
  isWanted: (cell: string) => boolean,
  delimiters: readonly Delimiter[] = DELIMITERS,
): { delimiter: Delimiter; header: string[] } | null {
  const found = delimiters.flatMap((delimiter) => {
    const [first] = new CsvReader(bytes, delimiter).read(1, bytes.length);
    return first && "cells" in first && first.cells.some(isWanted) ? [{ delimiter, header: first.cells }] : [];
  });
  return found.sort((a, b) => b.header.length - a.header.length)[0] ?? null;
}

/** Returns the bytes without a byte order mark of UTF-8. */
export function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** Characters of the longest line of `withoutSeparatorLine`: `"sep=;"` and CRLF. */
const MAX_SEPARATOR_LINE = 9;

/**
 * Returns the bytes after the line `sep=;` with which Excel names the separator, and the separators that the rows may have. The line is no
 * row of the file: spreadsheets count rows after it.
 */
export function withoutSeparatorLine(bytes: Uint8Array): { bytes: Uint8Array; delimiters: readonly Delimiter[] } {
  const start = String.fromCharCode(...bytes.subarray(0, MAX_SEPARATOR_LINE));
  const [line, named] = /^"?sep=(.)"?(?:\r\n|\n|\r)/i.exec(start) ?? [];
  const delimiter = DELIMITERS.find((known) => known === named);
  return line && delimiter
    ? { bytes: bytes.subarray(line.length), delimiters: [delimiter] }
    : { bytes, delimiters: DELIMITERS };
}

const CHUNK_BYTES = 262_144;

/**
 * Returns the encoding of a file, null when it is UTF-8 with damaged characters. Reads in chunks, so that the text is never held as a
 * whole; `pause` runs after each. `isCut`: the last character may have further bytes.
 */
export async function encodingOf(
  bytes: Uint8Array,
  pause: (bytes: number) => Promise<void>,
  isCut: boolean,
): Promise<Encoding | null> {
  const guess = new EncodingGuess();
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    guess.add(bytes.subarray(at, at + CHUNK_BYTES));
    await pause(CHUNK_BYTES);
  }
  return guess.end(isCut);
}

/** Counts line breaks, and the last line if it has none, in chunks; `pause` runs after each. */
export async function countLines(bytes: Uint8Array, pause: (bytes: number) => Promise<void>): Promise<number> {
  let lines = 0;
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    const end = Math.min(from + CHUNK_BYTES, bytes.length);
    for (let at = from; at < end; at++) {
      if (bytes[at] === 10 || (bytes[at] === 13 && bytes[at + 1] !== 10)) lines += 1;
    }
    await pause(end - from);
  }
  const last = bytes[bytes.length - 1];
  return last === 10 || last === 13 ? lines : lines + 1;
}
