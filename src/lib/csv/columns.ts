import { unmarkFormula } from "./cells.ts";

/** Positions of the columns of a CSV file, from 0. */
export interface Columns {
  email: number;
  name: number | null;
  metadata: { position: number; key: string }[];
}

/** Metadata keys that a header could confuse with the columns `email` and `name`, or with a column without a name. */
const AMBIGUOUS = /^\s*(?:metadata\.)*(?:email|name)?\s*$/i;
const ESCAPE = "metadata.";

/** Returns the header of a metadata key. Keys like `email` become `metadata.email` (docs/contract/contacts.md#csv-export). */
export function headerOfKey(key: string): string {
  return AMBIGUOUS.test(key) ? ESCAPE + key : key;
}

function keyOfHeader(header: string): string {
  const key = header.startsWith(ESCAPE) ? header.slice(ESCAPE.length) : header;
  return AMBIGUOUS.test(key) ? key : header;
}

const roleOf = (cell: string) => unmarkFormula(cell).trim().toLowerCase();

/** Returns whether a cell of the first row names the column of addresses, in any case. */
export function isEmailHeader(cell: string): boolean {
  return roleOf(cell) === "email";
}

/**
 * Reads the first row of a file that has an email column. Columns without a name are ignored. Returns the issue of a
 * header that names a column twice.
 */
export function readHeader(cells: readonly string[]): Columns | { issue: string } {
  const columns: Columns = { email: -1, name: null, metadata: [] };
  const seen = new Set<string>();
  for (const [position, cell] of cells.entries()) {
    const header = unmarkFormula(cell);
    const role = roleOf(cell);
    const name = role === "email" || role === "name" ? role : header;
    if (header.trim() === "") continue;
    if (seen.has(name)) return { issue: `The header names the column ${JSON.stringify(name.slice(0, 100))} twice` };
    seen.add(name);
    if (role === "email") columns.email = position;
    else if (role === "name") columns.name = position;
    else columns.metadata.push({ position, key: keyOfHeader(header) });
  }
  return columns;
}
