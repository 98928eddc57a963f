import type { CallerCtx } from "../../../access/caller.ts";
import type { ColumnUses } from "../../../lib/csv/columns.ts";
import { openCsv } from "../../../lib/csv/file.ts";
import { notFound } from "../../../lib/errors.ts";
import { MOST_COUNTED } from "../../../platform/budgets/budget.ts";
import { importRows, type RefusedRow } from "../../../platform/csv-imports/import-rows.ts";
import type { ImportedRows } from "../../../platform/csv-imports/schema.ts";
import { JsonChunkWriter } from "../../../platform/db/json-chunk-writer.ts";
import { addSuppressions, copyToNewContacts, type SuppressionEntry } from "../../../sending/suppressions/index.ts";
import { type ImportedChoice, importChoices, listTopics } from "../../../sending/topics/index.ts";
import { getList } from "../queries.ts";
import { insertContacts } from "./insert.ts";
import { readRow } from "./read-row.ts";
import { updateContacts } from "./update.ts";

/** How a file is imported. */
interface ImportOptions {
  /** Where the people agreed, when the caller states that. */
  source?: string | undefined;
  columns?: ColumnUses | undefined;
  /** Contacts that the list has already: `update` gives them the names and metadata of the file. */
  existing?: "skip" | "update" | undefined;
  /** Gets the rows that are refused. */
  onRefused?: ((row: RefusedRow) => void) | undefined;
}

/**
 * Imports the contacts of a CSV file into a list (docs/contract/contacts.md#csv-import). Throws 404 for the list or a topic, 400 for a file
 * without data rows or email column or with damaged UTF-8, 413 for too many rows, 409 while a call with the same Idempotency-Key runs.
 */
export async function importContacts(
  ctx: CallerCtx,
  listId: string,
  file: Uint8Array,
  { source, columns = {}, existing = "skip", onRefused }: ImportOptions = {},
): Promise<ImportedRows> {
  const list = await getList(ctx, listId);
  const csv = await openCsv(file, columns);
  await requireTopics(ctx, csv.columns.topics);
  const now = ctx.now();
  const writer = new JsonChunkWriter();
  const seen = new Set<string>();
  let [keys, left, choices]: [string[], SuppressionEntry[], ImportedChoice[]] = [[], [], []];
  const take = (cells: readonly string[]) => {
    const row = readRow(cells, csv.header.length, csv.columns, now);
    if (!("contact" in row)) return row;
    const { key } = row.contact;
    // The first row of an address counts, also for a contact that was there.
    if (existing === "update" && seen.has(key)) return { skipped: true } as const;
    if (existing === "update") seen.add(key);
    writer.add(JSON.stringify({ id: ctx.newId(), ...row.contact }));
    keys.push(key);
    if (row.left) left.push({ ...row.left, email: key, workspace: ctx.workspace.number, emailId: null });
    choices.push(...row.choices);
    return "taken";
  };
  const store = async () => {
    const stored = { chunks: writer.take(), keys: [...new Set(keys)], left, choices };
    [keys, left, choices] = [[], [], []];
    // Whoever left is known before there is a contact that could be mailed.
    if (stored.left.length > 0) await addSuppressions(ctx, stored.left);
    await importChoices(ctx, stored.choices);
    const updated = existing === "update" ? await updateContacts(ctx, list, stored.chunks) : 0;
    const imported = await insertContacts(ctx, list, stored.chunks, source ?? null);
    if (imported > 0) await copyToNewContacts(ctx, ctx.workspace.number, stored.keys);
    return existing === "update" ? { imported, updated } : { imported };
  };
  return importRows(ctx, csv, { take, store }, onRefused);
}

/** Throws 404 when a column is about a topic that does not exist. */
async function requireTopics(ctx: CallerCtx, topics: readonly { id: string }[]): Promise<void> {
  if (topics.length === 0) return;
  const known = new Set((await listTopics(ctx, { limit: MOST_COUNTED })).map(({ id }) => id));
  if (topics.some(({ id }) => !known.has(id))) throw notFound("Topic");
}
