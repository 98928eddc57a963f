import type { Columns } from "../../../lib/csv/columns.ts";
import { type LeftOutRow, readAddress } from "../../../lib/csv/rows.ts";
import { jsonSizeIssue } from "../../../lib/object-field.ts";
import { nameIssue, removeInvisible } from "../../../lib/text-rules.ts";
import { limits } from "../rules.ts";

/** A contact of a CSV row. */
interface RowContact {
  email: string;
  key: string;
  name: string | null;
  /** JSON of an object, or null. */
  metadata: string | null;
}

type Row = { contact: RowContact } | LeftOutRow;

/** Reads the cells of a row (docs/contract/contacts.md#csv-import). */
export function readRow(cells: readonly string[], width: number, columns: Columns): Row {
  const row = readAddress(cells, width, columns.email);
  if (!("address" in row)) return row;
  const { address, cell } = row;
  const name = removeInvisible(cell(columns.name)).trim() || null;
  const metadata = metadataOf(columns, cell);
  const issue = nameIssue(name ?? "") ?? jsonSizeIssue("metadata", metadata ?? "", limits.metadataBytes);
  if (issue) return { issue };
  return { contact: { email: address.address, key: address.key, name, metadata } };
}

/** Returns the JSON of the cells that are not empty. */
function metadataOf(columns: Columns, cell: (position: number) => string): string | null {
  const entries = columns.metadata.flatMap(({ position, key }) => {
    const value = cell(position);
    return value === "" ? [] : [`${JSON.stringify(key)}:${JSON.stringify(value)}`];
  });
  return entries.length > 0 ? `{${entries.join()}}` : null;
}
