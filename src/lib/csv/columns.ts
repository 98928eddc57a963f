import { unmarkFormula } from "./cells.ts";

/**
 * A column of a file becomes this: the address, a name or a part of it, the state of a person who may have left, the choice about a topic by
 * its id, or the metadata with a key. Null: it is left out.
 */
export type ColumnUse =
  | "email"
  | "name"
  | "first_name"
  | "last_name"
  | "unsubscribed"
  | `topic:${string}`
  | `metadata.${string}`
  | null;

/** Uses of columns by their headers. */
export type ColumnUses = Readonly<Record<string, ColumnUse>>;

/** Positions of the columns of a CSV file, from 0. */
export interface Columns {
  email: number;
  /** Columns that together are a name. The first that are not empty count. */
  names: number[][];
  unsubscribed: number[];
  topics: { position: number; id: string }[];
  metadata: { position: number; key: string }[];
}

/** Metadata keys that a header could confuse with the columns `email` and `name`, or with a column without a name. */
const AMBIGUOUS = /^(?:metadata\.)*(?:email|name)?$/i;
const ESCAPE = "metadata.";
const TOPIC = "topic:";

/** Why a file without a column of addresses is refused. */
export const NO_EMAIL = "The CSV file has no email column: its first row must contain the cell email";

/** Returns the header of a metadata key. Keys like `email` become `metadata.email` (docs/contract/contacts.md#csv-export). */
export const headerOfKey = (key: string): string => (AMBIGUOUS.test(key.trim()) ? ESCAPE + key : key);

function keyOfHeader(header: string): string {
  const key = header.startsWith(ESCAPE) ? header.slice(ESCAPE.length) : header;
  return AMBIGUOUS.test(key.trim()) ? key : header;
}

/** Headers of the column of addresses in lower case, the first of them that a file has: the last is that of Google Contacts. */
const EMAIL_HEADERS = ["email", "e-mail", "e-mail 1 - value"];

const plain = (header: string) => header.trim().toLowerCase();

/** Returns whether a cell of the first row names a column of addresses, in any case. */
export const isEmailHeader = (cell: string): boolean => EMAIL_HEADERS.includes(plain(unmarkFormula(cell)));

/** Returns the first of several addresses, which an export of Google Contacts writes into one cell. */
export const firstAddress = (cell: string): string => (cell.split(" ::: ")[0] ?? "").trim();

/**
 * Reads the first row of a file that has an email column. `uses` names what columns are; the others are what their headers say. Columns
 * without a name are ignored. A name that is repeated gets a number: `phone`, `phone 2`. Returns the issue of a header.
 */
export function readHeader(cells: readonly string[], uses: ColumnUses = {}): Columns | { issue: string } {
  const headers = cells.map(unmarkFormula);
  const missing = Object.keys(uses).find((header) => !headers.includes(header));
  if (missing !== undefined) return { issue: `The CSV file has no column ${JSON.stringify(missing)}` };
  const named = headers.map((header) => (Object.hasOwn(uses, header) ? uses[header] : undefined));
  const positionsOf = (use: ColumnUse) => [...named.keys()].filter((position) => named[position] === use);
  // Without a use, the first column with a header of addresses, and the first called `name`, are these.
  const findHeader = (wanted: string) =>
    headers.findIndex((header, position) => named[position] === undefined && plain(header) === wanted);
  const [email = EMAIL_HEADERS.map(findHeader).find((position) => position >= 0), second] = positionsOf("email");
  if (email === undefined) return { issue: NO_EMAIL };
  if (second !== undefined) return { issue: "The CSV file has several columns of addresses" };
  const names = [...positionsOf("name"), findHeader("name")].filter((position) => position >= 0);
  const others = headers.flatMap((header, position) => {
    const use = named[position];
    if (use?.startsWith(ESCAPE)) return [{ position, key: use.slice(ESCAPE.length), repeatsRole: false }];
    if (use !== undefined || position === email || names.includes(position) || header.trim() === "") return [];
    const repeatsRole = plain(header) === plain(headers[email] ?? "") || plain(header) === "name";
    return [{ position, key: keyOfHeader(header), repeatsRole }];
  });
  return {
    email,
    names: [...names.map((position) => [position]), [...positionsOf("first_name"), ...positionsOf("last_name")]],
    unsubscribed: positionsOf("unsubscribed"),
    topics: named.flatMap((use, position) =>
      use?.startsWith(TOPIC) ? [{ position, id: use.slice(TOPIC.length) }] : [],
    ),
    metadata: numberRepeated(others),
  };
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
