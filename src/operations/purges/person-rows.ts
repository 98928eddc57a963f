import type { Database, DatabaseKind, Statement } from "../../platform/db/database.ts";
import type { ErasedPerson, Scrubber } from "../../sending/emails/index.ts";
import type { MAIL_ROWS, PersonTexts } from "./person-tables.ts";

/** The result of a step. A null `next` ends its stage. */
export interface StepResult {
  next: { after: unknown } | null;
  removed: Record<string, number>;
}

/** Rows that one statement deletes. */
const ROWS_PER_STATEMENT = 1_000;
/** Rows with texts of one step: webhook payloads of some kilobytes. */
const TEXTS_PER_STEP = 500;

const COUNT_CONTACTS = `
  UPDATE contact_lists SET contact_count = contact_count - 1 WHERE n IN (
    SELECT list FROM contacts WHERE workspace = ?1 AND email_key = ?2 ORDER BY n LIMIT ?3)`;

const deletion = ({ table, key, email }: (typeof MAIL_ROWS)[number]) =>
  `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE workspace = ?1 AND ${email} = ?2 ORDER BY ${key} LIMIT ?3)`;

/** Deletes up to 1,000 rows of each table about a person, after the statements `before`. */
export async function deletePersonRows<Kind extends DatabaseKind>(
  db: Database<Kind>,
  tables: typeof MAIL_ROWS,
  { workspace, key }: ErasedPerson,
  before: readonly Statement<NoInfer<Kind>>[] = [],
): Promise<StepResult> {
  const bind = (sql: string) => db.prepare(sql).bind(workspace, key, ROWS_PER_STATEMENT);
  const counts = tables.some(({ table }) => table === "contacts") ? [bind(COUNT_CONTACTS)] : [];
  const results = await db.batch([...before, ...counts, ...tables.map((table) => bind(deletion(table)))]);
  const deleted = results.slice(before.length + counts.length).map(({ meta }) => meta.changes);
  const isEnd = deleted.every((rows) => rows < ROWS_PER_STATEMENT);
  return {
    next: isEnd ? null : { after: null },
    removed: Object.fromEntries(tables.map(({ kind }, index) => [kind, deleted[index] ?? 0])),
  };
}

/** Replaces an address in the texts of up to 500 rows after some key. */
export async function scrubTexts<Kind extends DatabaseKind>(
  db: Database<Kind>,
  { kind, table, key, columns }: PersonTexts,
  { workspace, after, scrubber }: { workspace: number; after: string[] | null; scrubber: Scrubber },
): Promise<StepResult> {
  const keys = key.join(", ");
  const { results } = await db
    .prepare(
      `SELECT ${keys}, ${columns.join(", ")} FROM ${table} WHERE workspace = ?1
          AND (${keys}) > (${key.map((_, index) => `?2->>${index}`).join(", ")}) ORDER BY ${keys} LIMIT ${TEXTS_PER_STEP}`,
    )
    .bind(workspace, JSON.stringify(after ?? key.map(() => "")))
    .all<Record<string, string | null>>();
  const changed = results.flatMap((row) => {
    const texts = Object.fromEntries(columns.map((column) => [column, scrubber.replace(row[column] ?? "")]));
    return columns.some((column) => texts[column] !== (row[column] ?? "")) ? [{ ...row, ...onlySet(row, texts) }] : [];
  });
  if (changed.length > 0) await update(db, { table, key, columns }, workspace, changed);
  const last = results.at(-1);
  const next = results.length < TEXTS_PER_STEP || !last ? null : { after: key.map((column) => last[column]) };
  return { next, removed: { [kind]: changed.length } };
}

/** Returns the texts of the columns that are not null. */
const onlySet = (row: Record<string, string | null>, texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).filter(([column]) => row[column] !== null));

async function update<Kind extends DatabaseKind>(
  db: Database<Kind>,
  { table, key, columns }: Pick<PersonTexts, "table" | "key" | "columns">,
  workspace: number,
  rows: readonly Record<string, string | null>[],
): Promise<void> {
  const set = columns.map((column) => `${column} = j.value->>'${column}'`).join(", ");
  const match = key.map((column) => `${table}.${column} = j.value->>'${column}'`).join(" AND ");
  await db
    .prepare(`UPDATE ${table} SET ${set} FROM json_each(?2) j WHERE ${table}.workspace = ?1 AND ${match}`)
    .bind(workspace, JSON.stringify(rows))
    .run();
}

// The days whose responses may be stored still, as for a deleted workspace. A repeated call is answered anew.
const DELETE_RESPONSES = `
  DELETE FROM idempotency_keys WHERE workspace = ?1
     AND day IN (SELECT unixepoch() / 86400 + value FROM json_each('[-2,-1,0,1]')) AND instr(lower(answer), lower(?2)) > 0`;

/** Deletes stored responses that name a person. */
export async function deleteResponses<Kind extends DatabaseKind>(
  db: Database<Kind>,
  { workspace, key }: ErasedPerson,
): Promise<StepResult> {
  const { meta } = await db.prepare(DELETE_RESPONSES).bind(workspace, key).run();
  return { next: null, removed: { responses: meta.changes } };
}
