import type { CallerCtx } from "../../../access/caller.ts";
import { openCsv } from "../../../lib/csv/file.ts";
import { importRows } from "../../../platform/csv-imports/import-rows.ts";
import type { ImportedRows } from "../../../platform/csv-imports/schema.ts";
import { JsonChunkWriter } from "../../../platform/db/json-chunk-writer.ts";
import { copyToNewContacts } from "../../../sending/suppressions/index.ts";
import { getList } from "../queries.ts";
import { insertContacts } from "./insert.ts";
import { readRow } from "./read-row.ts";

/**
 * Imports the contacts of a CSV file into a list (docs/contract/contacts.md#csv-import). Addresses that it has are skipped. Throws 404 for
 * the list, 400 for a file without data rows or email column or with damaged UTF-8, 413 for too many rows, 409 while a call with the same
 * Idempotency-Key runs. `source`: where the people agreed, when the caller states that.
 */
export async function importContacts(
  ctx: CallerCtx,
  listId: string,
  file: Uint8Array,
  source: string | null = null,
): Promise<ImportedRows> {
  const list = await getList(ctx, listId);
  const csv = await openCsv(file);
  const writer = new JsonChunkWriter();
  let keys: string[] = [];
  return importRows(ctx, csv, {
    take(cells) {
      const row = readRow(cells, csv.header.length, csv.columns);
      if (!("contact" in row)) return row;
      writer.add(JSON.stringify({ id: ctx.newId(), ...row.contact }));
      keys.push(row.contact.key);
      return "taken";
    },
    async store() {
      const stored = new Set(keys);
      keys = [];
      const inserted = await insertContacts(ctx, list, writer.take(), source);
      if (inserted > 0) await copyToNewContacts(ctx, ctx.workspace.number, [...stored]);
      return inserted;
    },
  });
}
