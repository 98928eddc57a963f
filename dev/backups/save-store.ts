import type { MailStart } from "../../src/operations/backups/read-page.ts";
import type { TableShape } from "../../src/operations/backups/tables.ts";
import type { BackupClient } from "./client.ts";
import { type Part, planParts } from "./parts.ts";
import { writeLines } from "./row-file.ts";
import type { JournalEntry, Snapshot } from "./snapshot.ts";

/** Pages of one file: about 16 MB of rows at most. A killed backup repeats at most one file. */
const PAGES_PER_FILE = 16;

type Row = (string | number | null)[];
type StoreRecord = Extract<JournalEntry, { kind: "store" }>;
type RowsRecord = Extract<JournalEntry, { kind: "rows" }>;

/** Saves what is left of one database, or of the object of a mailbox, file after file. Returns the rows that it read. */
export async function saveStore(client: BackupClient, snapshot: Snapshot, store: string): Promise<number> {
  const { parts } = await beginStore(client, snapshot, store);
  let rows = 0;
  for (const part of parts) {
    const done = snapshot.entries.filter(
      (entry): entry is RowsRecord =>
        entry.kind === "rows" && entry.file.store === store && entry.file.part.name === part.name,
    );
    rows += await savePart(client, snapshot, { store, part, done });
  }
  return rows;
}

async function beginStore(client: BackupClient, snapshot: Snapshot, store: string): Promise<StoreRecord> {
  const known = snapshot.entries.find(
    (entry): entry is StoreRecord => entry.kind === "store" && entry.store.name === store,
  );
  if (known) return known;
  const isMail = store.startsWith("mail-");
  const start = isMail ? await client.call<MailStart>("/auth/backup/start", { store }) : null;
  const { tables, migrations } = await client.call<{ tables: TableShape[]; migrations: string[] }>(
    "/auth/backup/tables",
    { store },
  );
  const parts = planParts(store, tables, start?.lastN ?? 0);
  const record: StoreRecord = { kind: "store", store: { name: store, migrations, start }, parts };
  await snapshot.record(record);
  return record;
}

async function savePart(
  client: BackupClient,
  snapshot: Snapshot,
  { store, part, done }: { store: string; part: Part; done: readonly RowsRecord[] },
): Promise<number> {
  const newest = done.at(-1);
  let state = { last: newest?.last ?? null, isEnd: newest?.isEnd ?? false };
  let rows = 0;
  for (let number = done.length + 1; !state.isEnd; number++) {
    const pages = new Pages(client, store, part, state.last);
    const name = `${store}/${part.name}.${String(number).padStart(5, "0")}.ndjson.gz`;
    const { name: partName, table, columns, key, isVirtual } = part;
    const written = await writeLines(snapshot.folder, name, pages.rows());
    const file = { ...written, store, part: { name: partName, table, columns, key, isVirtual } };
    state = { last: pages.last, isEnd: pages.isEnd };
    await snapshot.record({ kind: "rows", file, ...state });
    rows += file.rows;
  }
  return rows;
}

/** The pages of one file. */
class Pages {
  readonly #client: BackupClient;
  readonly #store: string;
  readonly #part: Part;
  last: (string | number)[] | null;
  isEnd = false;

  constructor(client: BackupClient, store: string, part: Part, last: (string | number)[] | null) {
    this.#client = client;
    this.#store = store;
    this.#part = part;
    this.last = last;
  }

  async *rows(): AsyncGenerator<Row> {
    const { table, columns, key, filter } = this.#part;
    const places = key.map((name) => columns.indexOf(name));
    for (let page = 0; page < PAGES_PER_FILE; page++) {
      const request = { store: this.#store, table, columns, key, after: this.last, filter };
      const { rows } = await this.#client.call<{ rows: Row[] }>("/auth/backup/rows", request);
      const newest = rows.at(-1);
      if (!newest) {
        this.isEnd = true;
        return;
      }
      for (const row of rows) yield checked(row, table);
      this.last = places.map((at) => newest[at] ?? "");
    }
  }
}

/** Throws an Error for a number that JSON has changed. */
function checked(row: Row, table: string): Row {
  if (row.some((value) => typeof value === "number" && !Number.isSafeInteger(value)))
    throw new Error(`${table} has a number that JSON cannot keep: ${JSON.stringify(row)}`);
  return row;
}
