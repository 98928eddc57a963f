import { parseAddress } from "../../../lib/addresses.ts";
import { unmarkFormula } from "../../../lib/csv/cells.ts";
import { type Columns, firstAddress } from "../../../lib/csv/columns.ts";
import { jsonSizeIssue } from "../../../lib/object-field.ts";
import { nameIssue, removeInvisible, UNPRINTABLE } from "../../../lib/text-rules.ts";
import { limits } from "../rules.ts";

/** A contact of a CSV row. */
interface RowContact {
  email: string;
  key: string;
  name: string | null;
  /** JSON of an object, or null. */
  metadata: string | null;
}

/** A row of a file: a contact, a row without an address, an empty line, or an issue. */
export type Row = { contact: RowContact } | { skipped: true } | { isBlank: true } | { issue: string };

/** Returns whether the cells are those of an empty line. */
export function isBlank(cells: readonly string[]): boolean {
  return cells.length === 1 && cells[0] === "";
}

/** Characters of a cell that an error message repeats: the errors of 100,000 rows then take about 10 MB. */
const SHOWN_CHARACTERS = 40;
const UNPRINTABLES = new RegExp(UNPRINTABLE.source, "gu");

/** Reads the cells of a row (docs/contract/contacts.md#csv-import). */
export function readRow(cells: readonly string[], width: number, columns: Columns): Row {
  if (isBlank(cells)) return { isBlank: true };
  const extra = cells.slice(width).some((cell) => cell !== "");
  if (extra) return { issue: `the row has ${cells.length} cells and the header ${width}` };
  if (cells.some((cell) => cell.includes("\0"))) return { issue: "a cell contains a NUL character" };
  const cell = (position: number | null) => unmarkFormula(position === null ? "" : (cells[position] ?? ""));
  const email = firstAddress(cell(columns.email));
  if (email === "") return { skipped: true };
  const address = parseAddress(email);
  if (!address) return { issue: `"${shown(email)}" is not a valid email address` };
  const name = removeInvisible(cell(columns.name)).trim() || null;
  const metadata = metadataOf(columns, cell);
  const issue = nameIssue(name ?? "") ?? jsonSizeIssue("metadata", metadata ?? "", limits.metadataBytes);
  if (issue) return { issue };
  return { contact: { email: address.address, key: address.key, name, metadata } };
}

/** Returns the start of a cell on one line, in about as many bytes of JSON. */
function shown(text: string): string {
  return text.slice(0, SHOWN_CHARACTERS).toWellFormed().replace(UNPRINTABLES, "\ufffd");
}

/** Returns the JSON of the cells that are not empty. */
function metadataOf(columns: Columns, cell: (position: number) => string): string | null {
  const entries = columns.metadata.flatMap(({ position, key }) => {
    const value = cell(position);
    return value === "" ? [] : [`${JSON.stringify(key)}:${JSON.stringify(value)}`];
  });
  return entries.length > 0 ? `{${entries.join()}}` : null;
}
