import type { Database, DatabaseKind, Statement } from "../../platform/context.ts";
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
  texts: PersonTexts,
  { workspace, after, scrubber }: { workspace: number; after: string[] | null; scrubber: Scrubber },
): Promise<StepResult> {
  const { kind, table, key, columns } = texts;
  const keys = key.join(", ");
  // Rows of all workspaces are read in pages where no column, and so no index, names the workspace.
  const own = texts.workspace === undefined ? "workspace = ?1 AND" : "?1 IS NOT NULL AND";
  const { results } = await db
    .prepare(
      `SELECT ${keys}, ${columns.join(", ")} FROM ${table} WHERE ${own} (${keys}) > (${key.map((_, index) => `?2->>${index}`).join(", ")}) ORDER BY ${keys} LIMIT ${TEXTS_PER_STEP}`,
    )
    .bind(workspace, JSON.stringify(after ?? key.map(() => "")))
    .all<Record<string, string | null>>();
  const changed = results.flatMap((row) => {
    const scrubbed = Object.fromEntries(columns.map((column) => [column, scrubber.replace(row[column] ?? "")]));
    const isChanged = columns.some((column) => scrubbed[column] !== (row[column] ?? ""));
    return isChanged ? [{ ...row, ...onlySet(row, scrubbed) }] : [];
  });
  const updated = changed.length === 0 ? 0 : await update(db, texts, workspace, changed);
  const last = results.at(-1);
  const next = results.length < TEXTS_PER_STEP || !last ? null : { after: key.map((column) => last[column]) };
  return { next, removed: { [kind]: updated } };
}

/** Returns the texts of the columns that are not null. */
const onlySet = (row: Record<string, string | null>, texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).filter(([column]) => row[column] !== null));

async function update<Kind extends DatabaseKind>(
  db: Database<Kind>,
  { table, key, columns, workspace: own = `${table}.workspace` }: PersonTexts,
  workspace: number,
  rows: readonly Record<string, string | null>[],
): Promise<number> {
  const set = columns.map((column) => `${column} = j.value->>'${column}'`).join(", ");
  const match = key.map((column) => `${table}.${column} = j.value->>'${column}'`).join(" AND ");
  const { meta } = await db
    .prepare(`UPDATE ${table} SET ${set} FROM json_each(?2) j WHERE ${own} = ?1 AND ${match}`)
    .bind(workspace, JSON.stringify(rows))
    .run();
  return meta.changes;
}

/** Days before today whose responses may be stored still, and after it, since clocks differ. */
const FIRST_DAY = -2;
const LAST_DAY = 1;
const DAY_MS = 86_400_000;

/** Where the deletion of responses continues: in one of the days, after a key. */
interface ResponsesPosition {
  day: number;
  key: string;
  lastDay: number;
}

const FIND_RESPONSES = `
  SELECT key, instr(lower(answer), lower(?4)) > 0 AS isAbout FROM idempotency_keys
   WHERE day = ?2 AND workspace = ?1 AND key > ?3 ORDER BY key LIMIT ${TEXTS_PER_STEP}`;

const DELETE_RESPONSES =
  "DELETE FROM idempotency_keys WHERE day = ?2 AND workspace = ?1 AND key IN (SELECT value FROM json_each(?3))";

/** Deletes the responses stored in rows that name a person, of 500 in one day. A repeated call is answered anew. */
export async function deleteResponses<Kind extends DatabaseKind>(
  db: Database<Kind>,
  { workspace, key: email }: ErasedPerson,
  after: unknown,
  now: number,
): Promise<StepResult> {
  const today = Math.floor(now / DAY_MS);
  const start = { day: today + FIRST_DAY, key: "", lastDay: today + LAST_DAY };
  const at = (after as ResponsesPosition | null) ?? start;
  const { results } = await db
    .prepare(FIND_RESPONSES)
    .bind(workspace, at.day, at.key, email)
    .all<{ key: string; isAbout: 0 | 1 }>();
  const named = results.flatMap(({ key, isAbout }) => (isAbout === 1 ? [key] : []));
  if (named.length > 0) await db.prepare(DELETE_RESPONSES).bind(workspace, at.day, JSON.stringify(named)).run();
  const last = results.length < TEXTS_PER_STEP ? undefined : results.at(-1);
  const next = last ? { ...at, key: last.key } : { ...at, day: at.day + 1, key: "" };
  return { next: next.day > at.lastDay ? null : { after: next }, removed: { responses: named.length } };
}
