import { type BackupStore, quoted, type StoreStatement } from "./stores.ts";

type Value = string | number | null;

/** Rows of one table of a backup. */
export interface RowsRequest {
  table: string;
  columns: readonly string[];
  key: readonly string[];
  isVirtual: boolean;
  rows: readonly (readonly Value[])[];
}

/** A row that the database refuses, with the reason. */
export interface RefusedRow {
  key: Value[];
  reason: string;
}

/** Bytes of one bound value. D1 takes 2,000,000; rows beyond are written singly, with a parameter for each value. */
const MAX_JSON_BYTES = 1_900_000;

/**
 * Writes rows of a backup, over rows with the same key. Safe to repeat. What would send something is held back: outbox rows go to
 * the table `held_outbox`, and open deliveries of webhooks lose their time. Returns the rows that the database refuses, such as
 * one whose parent was deleted while the backup was made.
 */
export async function writeRows(store: BackupStore, request: RowsRequest): Promise<RefusedRow[]> {
  if (request.rows.length === 0) return [];
  const held = heldBack(request);
  if (held.table === "sqlite_sequence") return writeSequence(store, held);
  const json = JSON.stringify(held.rows);
  if (new TextEncoder().encode(json).length <= MAX_JSON_BYTES) {
    const all = { sql: insertSql(held, jsonSource(held)), values: [json] };
    const isWritten = await store.batch([all]).then(
      () => true,
      () => false,
    );
    if (isWritten) return [];
  }
  return writeSingly(store, held);
}

async function writeSingly(store: BackupStore, request: RowsRequest): Promise<RefusedRow[]> {
  const refused: RefusedRow[] = [];
  const sql = insertSql(request, `VALUES (${request.columns.map((_, at) => `?${at + 1}`).join(", ")})`);
  for (const row of request.rows) {
    try {
      await store.batch([{ sql, values: row }]);
    } catch (error) {
      refused.push({
        key: request.key.map((name) => row[request.columns.indexOf(name)] ?? null),
        reason: String(error),
      });
    }
  }
  return refused;
}

const jsonSource = ({ columns }: RowsRequest) =>
  `SELECT ${columns.map((_, at) => `value->>${at}`).join(", ")} FROM json_each(?1) WHERE true`;

function insertSql({ table, columns, key, isVirtual }: RowsRequest, source: string): string {
  const into = `INTO ${quoted([table])} (${quoted(columns)}) ${source}`;
  // A full-text table takes no ON CONFLICT.
  if (isVirtual) return `INSERT OR REPLACE ${into}`;
  const others = columns.filter((name) => !key.includes(name));
  const change =
    others.length === 0 ? "NOTHING" : `UPDATE SET ${others.map((name) => `[${name}] = excluded.[${name}]`).join(", ")}`;
  return `INSERT ${into} ON CONFLICT (${quoted(key)}) DO ${change}`;
}

/** Writes the greatest numbers that were used, so that those of deleted rows are not used again. */
async function writeSequence(store: BackupStore, { rows }: RowsRequest): Promise<RefusedRow[]> {
  await store.batch(
    rows.flatMap(([name = null, seq = null]): StoreStatement[] => [
      { sql: "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", values: [name, seq] },
      {
        sql: "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
        values: [name, seq],
      },
    ]),
  );
  return [];
}

/** Why an automation of a restored backup is paused, until an operator resumes what is held. */
export const RESTORED_REASON = "A backup was restored.";

/** Columns of the outbox that held rows lack: no run has them, and a row of a stopped workspace is stopped again by its next run. */
const NOT_HELD = ["stopped", "leased_until"];

/** Returns the rows so that nothing of them is sent before an operator resumes it. */
function heldBack(request: RowsRequest): RowsRequest {
  if (request.table === "outbox" || request.table === "held_outbox") {
    // A claim that is counted marks what is sent as a possible duplicate.
    const rows = changed(request, { token: () => null, claims: (claims) => Math.max(1, Number(claims)) });
    return { ...without(NOT_HELD, { ...request, rows }), table: "held_outbox", key: ["id"] };
  }
  if (request.table === "webhook_endpoints")
    return { ...request, rows: changed(request, { token: () => null, due_at: () => null }) };
  if (request.table === "automations") return { ...request, rows: pausedAutomations(request) };
  if (request.table === "automation_engine")
    return { ...request, rows: changed(request, { token: () => null, until: () => 0 }) };
  if (request.table === "webhook_deliveries") return { ...request, rows: changed(request, { due_at: () => null }) };
  return request;
}

/** Returns rows of automations, of which those that were active wait for the operator: their runs stay where they are. */
function pausedAutomations({ columns, rows }: RowsRequest): RowsRequest["rows"] {
  const [status, reason] = ["status", "pause_reason"].map((name) => columns.indexOf(name));
  return rows.map((row) => {
    if (status === undefined || reason === undefined || row[status] !== "active") return row;
    return row.with(status, "paused").with(reason, RESTORED_REASON);
  });
}

function without(names: readonly string[], request: RowsRequest): RowsRequest {
  const { columns } = request;
  const isKept = (_: unknown, at: number) => !names.includes(columns[at] ?? "");
  return { ...request, columns: columns.filter(isKept), rows: request.rows.map((row) => row.filter(isKept)) };
}

function changed({ columns, rows }: RowsRequest, changes: Readonly<Record<string, (value: Value) => Value>>) {
  const byPlace = columns.map((name) => changes[name]);
  return rows.map((row) => row.map((value, at) => (byPlace[at] ? byPlace[at](value) : value)));
}
