import type { MailStart } from "../../src/operations/backups/read-page.ts";
import type { RepairCursor } from "../../src/operations/backups/repair.ts";
import type { RefusedRow } from "../../src/operations/backups/write-rows.ts";
import type { OpenedBackup } from "./check.ts";
import type { BackupClient } from "./client.ts";
import { inWriteOrder } from "./parts.ts";
import { readLines } from "./row-file.ts";
import type { RowsFile, StoreEntry } from "./snapshot.ts";

/** Bounds of one request: rows, and characters of their JSON. */
const MAX_ROWS = 500;
const MAX_CHARACTERS = 1_000_000;

type Row = (string | number | null)[];

/** A restore under way. `done` has the files whose rows are written. */
export interface RestoreRun {
  client: BackupClient;
  backup: OpenedBackup;
  done: Set<string>;
  /** Called for each row that the database refuses. */
  onRefused(file: RowsFile, row: RefusedRow): void;
}

/** Writes the rows of one database, or of a mailbox, file after file, and repairs it then. Safe to interrupt and to repeat. */
export async function restoreStore(run: RestoreRun, store: StoreEntry): Promise<void> {
  const { files } = run.backup.manifest;
  const own = files.filter((file) => file.store === store.name);
  for (const file of inWriteOrder(store.name, own)) await restoreFile(run, file);
  if (store.name !== "main") await repair(run, store.name, store.start ?? { lastN: 0, broadcasts: [] });
}

async function restoreFile(run: RestoreRun, file: RowsFile): Promise<void> {
  if (run.done.has(file.path)) return;
  const { client, backup } = run;
  const { table, columns, key, isVirtual } = file.part;
  const { id } = backup.manifest;
  let count = 0;
  for await (const rows of batches(readLines<Row>(backup.folder, file.path))) {
    const request = { id, store: file.store, table, columns, key, isVirtual, rows };
    const { refused } = await client.call<{ refused: RefusedRow[] }>("/auth/restore/rows", request);
    for (const row of refused) run.onRefused(file, row);
    count += refused.length;
  }
  await markDone(run, file.path, count);
}

async function* batches(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let characters = 0;
  for await (const row of rows) {
    const length = JSON.stringify(row).length;
    if (batch.length > 0 && (batch.length === MAX_ROWS || characters + length > MAX_CHARACTERS)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(row);
    characters += length;
  }
  if (batch.length > 0) yield batch;
}

async function repair(run: RestoreRun, store: string, start: MailStart): Promise<void> {
  const name = `${store}: repaired`;
  if (run.done.has(name)) return;
  const { id } = run.backup.manifest;
  for (let cursor: RepairCursor | null = { step: 0, after: 0 }; cursor !== null; ) {
    const request: object = { id, store, start, cursor };
    const { next }: { next: RepairCursor | null } = await run.client.call("/auth/restore/repair", request);
    cursor = next;
  }
  await markDone(run, name, 0);
}

/** Records that a file is written, but for rows that the database refused. */
async function markDone(run: RestoreRun, file: string, refused: number): Promise<void> {
  await run.client.call("/auth/restore/file", { id: run.backup.manifest.id, file, refused });
  run.done.add(file);
}
