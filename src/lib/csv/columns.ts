import { unmarkFormula } from "./cells.ts";

/** Positions of the columns of a CSV file, from 0. */
export interface Columns {
  email: number;
  name: number | null;
  metadata: { position: number; key: string }[];
}

/** Metadata keys that a header could confuse with the columns `email` and `name`, or with a column without a name. */
const AMBIGUOUS = /^(?:metadata\.)*(?:email|name)?$/i;
const ESCAPE = "metadata.";

/** Returns the header of a metadata key. Keys like `email` become `metadata.email` (docs/contract/contacts.md#csv-export). */
export function headerOfKey(key: string): string {
  return AMBIGUOUS.test(key.trim()) ? ESCAPE + key : key;
}

function keyOfHeader(header: string): string {
  const key = header.startsWith(ESCAPE) ? header.slice(ESCAPE.length) : header;
  return AMBIGUOUS.test(key.trim()) ? key : header;
}

/** Headers of the column of addresses in lower case, the first of them that a file has: the last is that of Google Contacts. */
const EMAIL_HEADERS = ["email", "e-mail", "e-mail 1 - value"];

const plain = (cell: string) => unmarkFormula(cell).trim().toLowerCase();

/** Returns whether a cell of the first row names a column of addresses, in any case. */
export function isEmailHeader(cell: string): boolean {
  return EMAIL_HEADERS.includes(plain(cell));
}

/** Returns the first of several addresses, which an export of Google Contacts writes into one cell. */
export function firstAddress(cell: string): string {
  return (cell.split(" ::: ")[0] ?? "").trim();
}

/**
 * Reads the first row of a file that has an email column. Columns without a name are ignored. A name that is repeated gets a
 * number: `phone`, `phone 2`. Returns the issue of a header with a NUL character.
 */
export function readHeader(cells: readonly string[]): Columns | { issue: string } {
  if (cells.some((cell) => cell.includes("\0"))) return { issue: "The header contains a NUL character" };
  const headers = cells.map(plain);
  const email = EMAIL_HEADERS.map((name) => headers.indexOf(name)).find((position) => position >= 0) ?? -1;
  const name = headers.indexOf("name");
  const others = cells.flatMap((cell, position) => {
    const header = unmarkFormula(cell);
    if (position === email || position === name || header.trim() === "") return [];
    const repeatsRole = headers[position] === headers[email] || headers[position] === "name";
    return [{ position, key: keyOfHeader(header), repeatsRole }];
  });
  return { email, name: name < 0 ? null : name, metadata: numberRepeated(others) };
}

/**
 * Returns columns with distinct keys: each repeated one has the lowest number that is free. Takes time in proportion to their
 * number, since a key of a column ends the search for a number once at most.
 */
function numberRepeated(columns: readonly { position: number; key: string; repeatsRole: boolean }[]) {
  const taken = new Set(columns.map(({ key }) => key));
  const numbers = new Map<string, number>();
  return columns.map(({ position, key, repeatsRole }) => {
    let number = numbers.get(key) ?? (repeatsRole ? 1 : 0);
    if (number > 0) {
      do number += 1;
      while (taken.has(`${key} ${number}`));
    }
    numbers.set(key, Math.max(1, number));
    return { position, key: number === 0 ? key : `${key} ${number}` };
  });
}
