import { DAY_MS } from "../../lib/time.ts";
import { IMPORT_DAYS } from "./rules.ts";
import { all, column, first, type Sql, value } from "./sql.ts";
import type { ArchiveCursor, ImportCounts, ImportProgress, ImportResult, NewImport, StoredImport } from "./types.ts";

/** Imports of one mailbox that run at a time, imports that a list shows, and errors of an import that are kept. */
const [MAX_RUNNING, LISTED, MAX_ERRORS] = [5, 20, 100];

interface ImportRow
  extends Omit<StoredImport, "cursor" | "counts" | "createdAt" | "updatedAt">,
    Omit<ImportCounts, "errors"> {
  /** JSON. */
  cursor: string;
  errors: string;
  created_at: number;
  updated_at: number;
}

/** Starts an import. Its archive is deleted with its end. Returns false when too many imports run. */
export function startImport(sql: Sql, { id, object, size, format, folder, cursor, counts }: NewImport, now: number) {
  const running = value<number>(sql, "SELECT count(*) FROM imports WHERE status = 'running'") ?? 0;
  if (running >= MAX_RUNNING) return false;
  sql.exec("DELETE FROM uploads WHERE object = ?", object);
  sql.exec(
    `INSERT INTO imports (id, object, size, format, folder, status, step, cursor, imported, duplicates, skipped, errors,
       created_at, updated_at) VALUES (?, ?, ?, ?, ?, 'running', 0, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, object, size, format, folder, JSON.stringify(cursor)],
    ...[counts.imported, counts.duplicates, counts.skipped, JSON.stringify(counts.errors), now, now],
  );
  return true;
}

/** Returns an import, or null when there is none or it was deleted. */
export function findImport(sql: Sql, id: string): StoredImport | null {
  const row = first<ImportRow>(sql, "SELECT * FROM imports WHERE id = ?", id);
  return row && toImport(row);
}

/** Returns the newest imports, newest first. */
export function listImports(sql: Sql): StoredImport[] {
  return all<ImportRow>(sql, "SELECT * FROM imports ORDER BY id DESC LIMIT ?", LISTED).map(toImport);
}

/**
 * Adds a batch to the counts of an import and moves its cursor. Must run in the transaction that stores the batch, before it.
 * Returns false when the import has ended or another run has moved it.
 */
export function moveImport(sql: Sql, { id, step, cursor, added }: ImportProgress, now: number): boolean {
  const find = "SELECT errors FROM imports WHERE id = ? AND step = ? AND status = 'running'";
  const known = value<string>(sql, find, id, step);
  if (known === null) return false;
  const errors = [...(JSON.parse(known) as string[]), ...added.errors].slice(0, MAX_ERRORS);
  sql.exec(
    `UPDATE imports SET step = step + 1, cursor = ?2, imported = imported + ?3, duplicates = duplicates + ?4,
       skipped = skipped + ?5, errors = ?6, updated_at = ?7 WHERE id = ?1`,
    ...[id, JSON.stringify(cursor), added.imported, added.duplicates, added.skipped, JSON.stringify(errors), now],
  );
  return true;
}

/** Adds the results of a batch to the counts of an import. */
export function countImported(sql: Sql, id: string, results: readonly ImportResult[]): void {
  const count = (isCounted: (result: ImportResult["result"]) => boolean) =>
    results.filter(({ result }) => isCounted(result)).length;
  const [imported, duplicates] = [count((result) => result === "added"), count((result) => result === "duplicate")];
  const skipped = count((result) => result === "over-quota" || result === "no-folder");
  const update =
    "UPDATE imports SET imported = imported + ?2, duplicates = duplicates + ?3, skipped = skipped + ?4 WHERE id = ?1";
  sql.exec(update, id, imported, duplicates, skipped);
}

/** Ends an import, and has its archive deleted. One that has ended stays as it is. */
export function endImport(sql: Sql, id: string, status: "done" | "failed", error: string | null, now: number): void {
  const insert = `INSERT OR IGNORE INTO deleted_objects (object, due_at)
     SELECT object, ?2 FROM imports WHERE id = ?1 AND status = 'running'`;
  sql.exec(insert, id, now);
  const update = `UPDATE imports SET status = ?2, updated_at = ?3,
       errors = CASE WHEN ?4 IS NULL THEN errors ELSE json_insert(errors, '$[#]', ?4) END
      WHERE id = ?1 AND status = 'running'`;
  sql.exec(update, ...[id, status, now, error]);
}

/** Ends imports that have not moved for a day, as when their outbox row was lost, and deletes old ones. */
export function expireImports(sql: Sql, now: number): void {
  const find = "SELECT id FROM imports WHERE status = 'running' AND updated_at < ?";
  for (const id of column<string>(sql, find, now - DAY_MS))
    endImport(sql, id, "failed", "The import was interrupted; import the archive again", now);
  sql.exec("DELETE FROM imports WHERE status <> 'running' AND updated_at < ?", now - IMPORT_DAYS * DAY_MS);
}

/** Returns when `expireImports` has work again, in ms since 1970, or null. */
export function nextImportExpiry(sql: Sql): number | null {
  const find = "SELECT min(updated_at + CASE status WHEN 'running' THEN ?1 ELSE ?2 END) + 1 FROM imports";
  return value(sql, find, DAY_MS, IMPORT_DAYS * DAY_MS);
}

function toImport({ imported, duplicates, skipped, created_at, updated_at, ...row }: ImportRow): StoredImport {
  const { cursor, errors, ...rest } = row;
  return {
    ...rest,
    cursor: JSON.parse(cursor) as ArchiveCursor,
    counts: { imported, duplicates, skipped, errors: JSON.parse(errors) as string[] },
    createdAt: created_at,
    updatedAt: updated_at,
  };
}
