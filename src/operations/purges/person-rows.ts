import { dayOf } from "../../lib/time.ts";
import type { Database, DatabaseKind, Statement } from "../../platform/context.ts";
import { bytesSql, deletedKeys, deletePage, withinBytes } from "../../platform/db/byte-pages.ts";
import type { ErasedPerson, Scrubber } from "../../sending/emails/index.ts";
import type { MAIL_ROWS, PersonTexts } from "./person-tables.ts";

/** The result of a step. A null `next` ends its stage. */
export interface StepResult {
  next: { after: unknown } | null;
  removed: Record<string, number>;
}

/** Rows that one statement deletes. */
const ROWS_PER_STATEMENT = 1_000;
/** Rows with texts of one step, and their bytes: a webhook payload has up to 2 MB. */
const TEXTS_PER_STEP = 500;
const TEXT_BYTES = 4_000_000;
/** Rows that one step writes. */
const UPDATES_PER_STEP = 30;

const ofPerson = (key: string, email: string) => `WHERE workspace = ?1 AND ${email} = ?2 ORDER BY ${key} LIMIT ?3`;
const COUNT_CONTACTS = `
  UPDATE contact_lists SET contact_count = contact_count - 1 WHERE n IN (
    SELECT list FROM contacts WHERE n IN (${deletedKeys("contacts", "n", ofPerson("n", "email_key"))}))`;

const deletion = ({ table, key, email }: (typeof MAIL_ROWS)[number]) => deletePage(table, key, ofPerson(key, email));

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
  const isEnd = deleted.every((rows) => rows === 0);
  const removed = Object.fromEntries(tables.map(({ kind }, index) => [kind, deleted[index] ?? 0]));
  return { next: isEnd ? null : { after: null }, removed };
}

type TextRow = Record<string, string | null> & { found: number };

/** Replaces an address in the texts of up to 500 rows after some key. */
export async function scrubTexts<Kind extends DatabaseKind>(
  db: Database<Kind>,
  texts: PersonTexts,
  { workspace, after, scrubber }: { workspace: number; after: string[] | null; scrubber: Scrubber },
): Promise<StepResult> {
  const { kind, key, columns } = texts;
  const start = JSON.stringify(after ?? key.map(() => ""));
  const results = await db.listRows<TextRow>(findTexts(texts), workspace, start);
  const changed = results.flatMap((row) => {
    const scrubbed = columns.map((column) => (row[column] == null ? null : scrubber.replace(row[column])));
    return columns.some((column, index) => scrubbed[index] !== row[column]) ? [{ row, scrubbed }] : [];
  });
  const written = changed.slice(0, UPDATES_PER_STEP);
  const last = written.length < changed.length ? written.at(-1)?.row : results.at(-1);
  const isEnd = last === results.at(-1) && results.length === last?.found && last.found < TEXTS_PER_STEP;
  const updated = written.length === 0 ? 0 : await update(db, texts, workspace, written);
  return { next: last && !isEnd ? { after: key.map((column) => last[column]) } : null, removed: { [kind]: updated } };
}

function findTexts({ table, key, columns, workspace }: PersonTexts): string {
  const keys = key.join(", ");
  // Rows of all workspaces are read in pages where no column, and so no index, names the workspace.
  const own = workspace === undefined ? "workspace = ?1" : "?1 IS NOT NULL";
  const page = `
    SELECT ${keys}, ${bytesSql(...columns)} AS bytes FROM ${table}
     WHERE ${own} AND (${keys}) > (${key.map((_, index) => `?2->>${index}`).join(", ")}) ORDER BY ${keys} LIMIT ${TEXTS_PER_STEP}`;
  const order = key.map((column) => `t.${column}`).join(", ");
  const match = key.map((column) => `t.${column} = p.${column}`).join(" AND ");
  return `
    SELECT p.found, ${order}, ${columns.join(", ")} FROM (${withinBytes(page, TEXT_BYTES)}) p CROSS JOIN ${table} t
        ON ${workspace === undefined ? "t.workspace = ?1 AND " : ""}${match} ORDER BY ${order}`;
}

/** Writes the texts of rows, each as a parameter of its own: JSON of several of the greatest ones exceeds what D1 takes. */
async function update<Kind extends DatabaseKind>(
  db: Database<Kind>,
  { table, key, columns, workspace: own = "workspace" }: PersonTexts,
  workspace: number,
  rows: readonly { row: TextRow; scrubbed: (string | null)[] }[],
): Promise<number> {
  const set = columns.map((column, index) => `${column} = ?${index + 3}`).join(", ");
  const match = key.map((column, index) => `${column} = ?2->>${index}`).join(" AND ");
  const sql = `UPDATE ${table} SET ${set} WHERE ${own} = ?1 AND ${match}`;
  const statements = rows.map(({ row, scrubbed }) =>
    db.prepare(sql).bind(workspace, JSON.stringify(key.map((column) => row[column])), ...scrubbed),
  );
  return (await db.batch(statements)).reduce((sum, { meta }) => sum + meta.changes, 0);
}

/** Days before today whose responses may be stored still, and after it, since clocks differ. */
const FIRST_DAY = -2;
const LAST_DAY = 1;

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
  const today = dayOf(now);
  const start = { day: today + FIRST_DAY, key: "", lastDay: today + LAST_DAY };
  const at = (after as ResponsesPosition | null) ?? start;
  const results = await db.listRows<{ key: string; isAbout: 0 | 1 }>(FIND_RESPONSES, workspace, at.day, at.key, email);
  const named = results.flatMap(({ key, isAbout }) => (isAbout === 1 ? [key] : []));
  if (named.length > 0) await db.execute(DELETE_RESPONSES, workspace, at.day, JSON.stringify(named));
  const last = results.length < TEXTS_PER_STEP ? undefined : results.at(-1);
  const next = last ? { ...at, key: last.key } : { ...at, day: at.day + 1, key: "" };
  return { next: next.day > at.lastDay ? null : { after: next }, removed: { responses: named.length } };
}
