import { all, type Sql } from "./sql.ts";

/** How long a person who has saved a draft is said to be writing, in ms. */
const WRITING_MS = 60_000;

/** A person who writes an answer to a conversation. `until` in ms since 1970. */
export interface Writer {
  id: string;
  name: string;
  until: number;
}

/** Notes that a person has saved a draft of an answer. Must run in a transaction. */
export function noteWriting(sql: Sql, thread: string, { id, name }: Omit<Writer, "until">, now: number): void {
  sql.exec("DELETE FROM thread_writers WHERE until <= ?", now);
  const note = `
    INSERT INTO thread_writers (thread, person, name, until) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET name = excluded.name, until = excluded.until`;
  sql.exec(note, thread, id, name, now + WRITING_MS);
}

/** Notes that a person has sent the answer. */
export const endWriting = (sql: Sql, thread: string, { id }: Pick<Writer, "id">): unknown =>
  sql.exec("DELETE FROM thread_writers WHERE thread = ? AND person = ?", thread, id);

/** Returns who has written an answer lately, by name: also those who have stopped since. */
export const listWriters = (sql: Sql, thread: string): Writer[] =>
  all<Writer>(sql, "SELECT person AS id, name, until FROM thread_writers WHERE thread = ? ORDER BY name", thread);
