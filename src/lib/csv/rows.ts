import { type Address, parseAddress } from "../../lib/addresses.ts";
import { UNPRINTABLE } from "../../lib/text-rules.ts";
import { unmarkFormula } from "./cells.ts";
import { firstAddress } from "./columns.ts";

/** A row that is not imported: without an address, an empty line, or with an issue. */
export type LeftOutRow = { skipped: true } | { isBlank: true } | { issue: string };

/** The address of a row, and its other cells by their positions. */
type AddressRow = { address: Address; cell: (position: number | null) => string } | LeftOutRow;

/** Returns whether the cells are those of an empty line. */
export const isBlank = (cells: readonly string[]): boolean => cells.length === 1 && cells[0] === "";

/** Characters of a cell that an error message repeats: the errors of 100,000 rows then take about 10 MB. */
const SHOWN_CHARACTERS = 40;
const UNPRINTABLES = new RegExp(UNPRINTABLE.source, "gu");

/** Reads the address of a row, whose header has `width` cells, and returns its other cells (docs/contract/contacts.md#csv-import). */
export function readAddress(cells: readonly string[], width: number, column: number): AddressRow {
  if (isBlank(cells)) return { isBlank: true };
  const extra = cells.slice(width).some((cell) => cell !== "");
  if (extra) return { issue: `the row has ${cells.length} cells and the header ${width}` };
  if (cells.some((cell) => cell.includes("\0"))) return { issue: "a cell contains a NUL character" };
  const cell = (position: number | null) => unmarkFormula(position === null ? "" : (cells[position] ?? ""));
  const email = firstAddress(cell(column));
  if (email === "") return { skipped: true };
  const address = parseAddress(email);
  return address ? { address, cell } : { issue: `${quoted(email)} is not a valid email address` };
}

/** Returns the start of a cell on one line and in quotes, in about as many bytes of JSON. */
export function quoted(text: string): string {
  return `"${text.slice(0, SHOWN_CHARACTERS).toWellFormed().replace(UNPRINTABLES, "\ufffd")}"`;
}
