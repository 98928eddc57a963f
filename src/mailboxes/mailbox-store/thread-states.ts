import { mailboxBudgets } from "../../platform/budgets/objects.ts";
import { all, first, type Sql, value } from "./sql.ts";
import { endWriting } from "./thread-writers.ts";

/** A person as a conversation names it, also after its membership has ended. */
export interface Author {
  id: string;
  name: string;
}

/** An act with a conversation. `answer`: its text is the Message-ID of the answer. `reopen` by mail has no author. */
type EntryKind = "note" | "assign" | "close" | "reopen" | "answer" | "move";

/** An entry of a conversation: it is in the mailbox only, and no mail has it. `at` in ms since 1970. */
export interface ThreadEntry {
  id: string;
  kind: EntryKind;
  author: Author | null;
  /** Of a note; of an assignment the name of the person, empty for nobody; of a move the folder. */
  text: string;
  at: number;
}

/** Who cares for a conversation, and since when it is closed, in ms since 1970; null: nobody, and open. */
export interface ThreadState {
  assignee: Author | null;
  closedAt: number | null;
}

type StateRow = { assignee: string | null; assignee_name: string | null; closed_at: number | null };
type EntryRow = {
  id: string;
  kind: EntryKind;
  author: string | null;
  author_name: string | null;
  text: string;
  at: number;
};

const toAuthor = (id: string | null, name: string | null): Author | null =>
  id === null ? null : { id, name: name ?? "" };

/** Returns the state of a conversation, also of one that has none yet. */
export function readThreadState(sql: Sql, thread: string): ThreadState {
  const row = first<StateRow>(
    sql,
    "SELECT assignee, assignee_name, closed_at FROM thread_states WHERE thread = ?",
    thread,
  );
  return { assignee: toAuthor(row?.assignee ?? null, row?.assignee_name ?? null), closedAt: row?.closed_at ?? null };
}

/** Returns the entries of a conversation, oldest first: at most as many as it may have. */
export const listThreadEntries = (sql: Sql, thread: string): ThreadEntry[] =>
  all<EntryRow>(
    sql,
    "SELECT id, kind, author, author_name, text, at FROM thread_entries WHERE thread = ? ORDER BY n",
    thread,
  ).map(({ author, author_name, ...entry }) => ({ ...entry, author: toAuthor(author, author_name) }));

/** An act of a person. */
export type ThreadChange = { assignee: Author | null } | { closed: boolean } | { note: string } | { answer: string };

/** The state and entries afterwards; or why nothing changed. */
export type ThreadResult = { state: ThreadState; entries: ThreadEntry[] } | { refused: "unknown" | "too-many" };

const SET = `
  INSERT INTO thread_states (thread, assignee, assignee_name, closed_at) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT DO UPDATE SET assignee = excluded.assignee, assignee_name = excluded.assignee_name, closed_at = excluded.closed_at`;

function write(sql: Sql, thread: string, { assignee, closedAt }: ThreadState): void {
  sql.exec(SET, thread, assignee?.id ?? null, assignee?.name ?? null, closedAt);
  setKeywords(sql, thread);
}

// The newest messages of a conversation have the keywords by which mail programs see its state (docs/contract/inbox.md#conversations).
const NEWEST = "(SELECT id FROM messages WHERE thread = ?1 ORDER BY received_at DESC LIMIT 500)";
const HAS = "instr(' ' || keywords || ' ', ' ' || ?2 || ' ')";
const SET_KEYWORD = `UPDATE messages SET keywords = trim(keywords || ' ' || ?2) WHERE id IN ${NEWEST} AND ${HAS} = 0`;
const CLEAR_KEYWORD = `
  UPDATE messages SET keywords = trim(replace(' ' || keywords || ' ', ' ' || ?2 || ' ', ' ')) WHERE id IN ${NEWEST} AND ${HAS} > 0`;

/** Gives the messages of a conversation the keywords of its state, also one that has just come. */
function setKeywords(sql: Sql, thread: string): void {
  const { assignee, closedAt } = readThreadState(sql, thread);
  for (const [keyword, isSet] of [
    ["$Assigned", assignee !== null],
    ["$Closed", closedAt !== null],
  ] as const) {
    if (isSet) sql.exec("INSERT OR IGNORE INTO keywords (name) VALUES (?)", keyword);
    sql.exec(isSet ? SET_KEYWORD : CLEAR_KEYWORD, thread, keyword);
  }
}

type NewEntry = Omit<ThreadEntry, "id" | "at">;

/** Adds an entry. The oldest that is no note makes room at the limit; returns false when all are notes. */
function addEntry(sql: Sql, thread: string, { kind, author, text }: NewEntry, at: number): boolean {
  const count = value<number>(sql, "SELECT count(*) FROM thread_entries WHERE thread = ?", thread) ?? 0;
  if (count >= ENTRIES) {
    const drop =
      "DELETE FROM thread_entries WHERE n = (SELECT min(n) FROM thread_entries WHERE thread = ? AND kind <> 'note') RETURNING n";
    if (first(sql, drop, thread) === null) return false;
  }
  const insert =
    "INSERT INTO thread_entries (id, thread, kind, author, author_name, text, at) VALUES (?, ?, ?, ?, ?, ?, ?)";
  sql.exec(insert, crypto.randomUUID(), thread, kind, author?.id ?? null, author?.name ?? null, text, at);
  return true;
}

/** Entries of a conversation at most. */
const ENTRIES = 200;

/** Changes a conversation for a person. What it is already stays without an entry. Must run in a transaction. */
export function changeThread(sql: Sql, thread: string, by: Author, change: ThreadChange, now: number): ThreadResult {
  if (!first(sql, "SELECT 1 FROM messages WHERE thread = ? LIMIT 1", thread)) return { refused: "unknown" };
  const before = readThreadState(sql, thread);
  const add = (kind: EntryKind, text: string) => addEntry(sql, thread, { kind, author: by, text }, now);
  if ("note" in change) {
    if (!hasRoomForNote(sql) || !add("note", change.note)) return { refused: "too-many" };
  } else if ("answer" in change) {
    endWriting(sql, thread, by);
    add("answer", change.answer);
  } else if ("assignee" in change) {
    if (change.assignee?.id !== before.assignee?.id) {
      write(sql, thread, { ...before, assignee: change.assignee });
      add("assign", change.assignee?.name ?? "");
    }
  } else if (change.closed !== (before.closedAt !== null)) {
    write(sql, thread, { ...before, closedAt: change.closed ? now : null });
    add(change.closed ? "close" : "reopen", "");
  }
  return { state: readThreadState(sql, thread), entries: listThreadEntries(sql, thread) };
}

const hasRoomForNote = (sql: Sql) =>
  (value<number>(sql, "SELECT count(*) FROM thread_entries WHERE kind = 'note'") ?? 0) <
  mailboxBudgets.thread_entries.rows;

/** Deletes a note. Returns false when the conversation has none with this id. */
export const deleteNote = (sql: Sql, thread: string, id: string): boolean =>
  first(sql, "DELETE FROM thread_entries WHERE thread = ? AND id = ? AND kind = 'note' RETURNING id", thread, id) !==
  null;

/** Notes that mail has come into a conversation, or left it: what comes opens a closed one again. */
export function noteMail(sql: Sql, thread: string, isIncoming: boolean, now: number): void {
  if (!first(sql, "SELECT 1 FROM thread_states WHERE thread = ?", thread)) return;
  const reopen =
    "UPDATE thread_states SET closed_at = NULL WHERE thread = ? AND closed_at IS NOT NULL RETURNING thread";
  if (isIncoming && first(sql, reopen, thread) !== null)
    addEntry(sql, thread, { kind: "reopen", author: null, text: "" }, now);
  setKeywords(sql, thread);
}

/** Conversations of which a move of many messages tells. */
const TOLD_MOVES = 100;

/** Notes who has moved messages, which are in a folder now. */
export function noteMove(
  sql: Sql,
  to: { id: number; name: string },
  uids: readonly number[],
  by: Author,
  now: number,
): void {
  const find = `SELECT DISTINCT thread FROM messages WHERE folder = ? AND uid IN (SELECT value FROM json_each(?)) LIMIT ${TOLD_MOVES}`;
  for (const { thread } of all<{ thread: string }>(sql, find, to.id, JSON.stringify(uids)))
    addEntry(sql, thread, { kind: "move", author: by, text: to.name }, now);
}
