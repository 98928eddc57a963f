import { unmarkFormula } from "./cells.ts";
import { type Columns, firstAddress, isEmailHeader, readHeader } from "./columns.ts";
import { DAMAGED, decodeText, EncodingGuess } from "./encodings.ts";
import { DELIMITERS, MAX_RECORD_CHARACTERS, readSeparatorLine } from "./rules.ts";

/**
 * Reads the first rows of a CSV file in the browser, before it is uploaded. It is a second, small parser, because that of the import
 * (reader.ts) is larger than all scripts of the pages. Both read the same rows; a test compares them. Pure.
 */

/** A record of a file. `row` counts from 1, the header. Null: the import refuses this row. */
export interface PreviewRecord {
  row: number;
  cells: string[] | null;
}

/** The first rows of a file: its cells by the columns that the import makes of them. */
export interface CsvPreview {
  /** Uses of the columns in the import: the address, the name, and the placeholders of details. */
  columns: string[];
  /** Values in the order of the columns. */
  rows: { row: number; values: string[] | null }[];
}

/** Greatest part of a file that is read for its first rows, in bytes. */
export const PREVIEW_BYTES = 262_144;
const PREVIEW_ROWS = 5;

/** Returns the first rows of a file, of which `start` has PREVIEW_BYTES or all, or why the import refuses it. */
export function previewFile(start: Uint8Array, isWhole: boolean): CsvPreview | { issue: string } {
  const guess = new EncodingGuess();
  guess.add(start);
  const encoding = guess.end(!isWhole);
  if (encoding === null) return { issue: DAMAGED };
  return previewCsv(decodeText(start, encoding, isWhole), isWhole, PREVIEW_ROWS);
}

/**
 * Returns the first rows of a file after its header, without empty lines. `isWhole` says whether `text` is the whole file; of a
 * part the last record is left out. Returns the issue for which the import refuses the file.
 */
export function previewCsv(text: string, isWhole: boolean, maxRows: number): CsvPreview | { issue: string } {
  const marked = text.replace(/^\ufeff/, "");
  const line = readSeparatorLine(marked);
  const content = marked.slice(line?.length ?? 0);
  if (content === "") return { issue: "The CSV file is empty" };
  const found = (line ? [line.delimiter] : DELIMITERS)
    .flatMap((delimiter) => {
      const header = readRecords(content, delimiter, isWhole).next().value?.cells;
      return header?.some(isEmailHeader) ? [{ delimiter, header }] : [];
    })
    .sort((a, b) => b.header.length - a.header.length)[0];
  if (!found) return { issue: "The CSV file has no email column: its first row must contain the cell email" };
  const columns = readHeader(found.header);
  if ("issue" in columns) return columns;
  const rows: CsvPreview["rows"] = [];
  for (const { row, cells } of readRecords(content, found.delimiter, isWhole)) {
    if (row === 1 || (cells?.length === 1 && cells[0] === "")) continue;
    rows.push({ row, values: cells && valuesOf(cells, columns) });
    if (rows.length === maxRows) break;
  }
  if (rows.length === 0 && isWhole) return { issue: "The CSV file has no data rows" };
  const details = columns.metadata.map(({ key }) => `{{${key}}}`);
  return { columns: ["Address", ...(columns.name === null ? [] : ["Name"]), ...details], rows };
}

function valuesOf(cells: readonly string[], { email, name, metadata }: Columns): string[] {
  const positions = [email, ...(name === null ? [] : [name]), ...metadata.map(({ position }) => position)];
  const values = positions.map((position) => unmarkFormula(cells[position] ?? ""));
  return values.map((value, index) => {
    if (index === 0) return firstAddress(value);
    return index < positions.length - metadata.length ? value.trim() : value;
  });
}

/** Yields the records of a text (RFC 4180). A record that is no valid CSV ends at its first line break. */
export function* readRecords(text: string, delimiter: string, isWhole: boolean): Generator<PreviewRecord, undefined> {
  let at = 0;
  for (let row = 1; at < text.length; row++) {
    let record = readRecord(text, at, delimiter, false);
    if (record === "quote in a cell") record = readRecord(text, at, delimiter, true);
    if (typeof record !== "string" && record.cells.length === 1 && isBlankEnd(text.slice(at, record.end))) return;
    const isComplete = typeof record === "string" ? text.length - at > MAX_RECORD_CHARACTERS : record.end < text.length;
    if (!isWhole && !isComplete) return;
    yield { row, cells: typeof record === "string" ? null : record.cells };
    at = typeof record === "string" ? endOfLine(text, at) : record.end;
  }
}

/** Reads the record at `start`. With `isRelaxed` a quote inside a cell is text. Returns why it is not valid CSV. */
function readRecord(text: string, start: number, delimiter: string, isRelaxed: boolean) {
  const cells: string[] = [];
  let [cell, isQuoted, wasQuoted, at] = ["", false, false, start];
  const endCell = () => {
    cells.push(wasQuoted ? cell : cell.trimEnd());
    [cell, wasQuoted] = ["", false];
  };
  for (; at < text.length; at++) {
    if (at - start > 4 * MAX_RECORD_CHARACTERS) return "too long";
    const character = text.charAt(at);
    const next = text[at + 1];
    if (character === '"' && isQuoted && next !== '"') {
      if (next !== undefined && next !== delimiter && !isSpace(next)) return "text after a quote";
      [isQuoted, wasQuoted] = [false, true];
      continue;
    }
    if (!isQuoted) {
      if (character === '"' && cell === "") {
        isQuoted = true;
        continue;
      }
      if (character === '"' && !isRelaxed) return "quote in a cell";
      if (character === "\n" || character === "\r") break;
      if (character === delimiter) {
        endCell();
        continue;
      }
    }
    if (character === '"' && isQuoted) at += 1;
    // Spaces around a cell, also around its quotes, are not part of it.
    const isInside = isQuoted || cell !== "" || !isSpace(character);
    if (isInside && !wasQuoted) cell += character;
    else if (!isSpace(character)) return "text after a quote";
  }
  if (isQuoted) return "quote not closed";
  endCell();
  return { cells, end: endOfLine(text, at) };
}

/** A last line of spaces is no record. */
const isBlankEnd = (line: string) => /^[^\S\r\n]+$/.test(line);

const isSpace = (character: string) => character.trim() === "";

/** Returns the offset behind the next line break, or the length of the text. */
function endOfLine(text: string, from: number): number {
  const breaks = /\r\n|\n|\r/g;
  breaks.lastIndex = from;
  return breaks.test(text) ? breaks.lastIndex : text.length;
}
