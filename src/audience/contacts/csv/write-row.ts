import { formatRecord } from "../../../lib/csv/cells.ts";
import { headerOfKey } from "../../../lib/csv/columns.ts";
import type { ContactValues } from "../find-sample-contact.ts";

/** A contact as it is exported. */
export type ExportRow = Omit<ContactValues, "key">;

/** Returns the first record of an export: `email`, `name` and the metadata keys. */
export function writeHeader(keys: readonly string[]): string {
  return formatRecord(["email", "name", ...keys.map(headerOfKey)]);
}

/** Returns the record of a contact. Values that are not strings are JSON; a missing value is an empty cell. */
export function writeRow(row: ExportRow, keys: readonly string[]): string {
  const metadata = parseMetadata(row);
  const values = keys.map((key) => (Object.hasOwn(metadata, key) ? metadata[key] : ""));
  const cells = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return formatRecord([row.email, row.name ?? "", ...cells]);
}

export function parseMetadata({ metadata }: ExportRow): Record<string, unknown> {
  return metadata === null ? {} : (JSON.parse(metadata) as Record<string, unknown>);
}
