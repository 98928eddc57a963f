import { plainStructure } from "../../mail/structures/describe.ts";
import type { MessageStructure } from "../../mail/structures/types.ts";
import { renewUidvalidity } from "./folders.ts";
import { all, first, type Sql } from "./sql.ts";

/** Records the structure of a message, and its header if that is known. */
export function addStructure(sql: Sql, message: number, structure: MessageStructure, header: string | null): void {
  const insert = "INSERT OR REPLACE INTO message_structures (message, header, structure) VALUES (?, ?, ?)";
  sql.exec(insert, message, header, JSON.stringify(structure));
}

/** Records the structure of a message for its copy. A message without one has the copy wait for one too. */
export function copyStructure(sql: Sql, message: number, copy: number): void {
  const known =
    "INSERT INTO message_structures SELECT ?2, header, structure FROM message_structures WHERE message = ?1";
  sql.exec(known, message, copy);
  const unknown = "INSERT INTO structures_to_add (message) SELECT ?2 FROM structures_to_add WHERE message = ?1";
  sql.exec(unknown, message, copy);
}

/** A message of an earlier version, whose structure is to be found out. */
export interface UnstructuredMessage {
  id: number;
  object: string;
  size: number;
  /** How often its object could not be read. */
  tries: number;
}

/** Returns messages without a structure, and forgets those that were expunged meanwhile. */
export function findUnstructured(sql: Sql, limit: number): UnstructuredMessage[] {
  sql.exec("DELETE FROM structures_to_add WHERE message NOT IN (SELECT id FROM messages)");
  const find =
    "SELECT m.id, m.object, m.size, s.tries FROM structures_to_add s JOIN messages m ON m.id = s.message ORDER BY s.tries, s.message DESC LIMIT ?";
  return all<UnstructuredMessage>(sql, find, limit);
}

/** Records what was found out of a message that waited for it. */
export function saveStructure(
  sql: Sql,
  message: number,
  found: { structure: MessageStructure; header: string | null },
): void {
  const isThere = first(sql, "SELECT 1 FROM messages WHERE id = ?", message) !== null;
  if (isThere) addStructure(sql, message, found.structure, found.header);
  sql.exec("DELETE FROM structures_to_add WHERE message = ?", message);
}

/** Has a message whose object could not be read wait behind the others. */
export function postponeStructure(sql: Sql, message: number): void {
  sql.exec("UPDATE structures_to_add SET tries = tries + 1 WHERE message = ?", message);
}

/**
 * Forgets the structures that an earlier version guessed for messages whose objects did not exist yet, as in a restore, and has them found out.
 * Their folders get new uidvalidities, so that mail programs read them again. Returns their number; `isDry` only counts. Must run in a transaction.
 */
export function forgetGuesses(sql: Sql, isDry: boolean, now: number): number {
  const find = `SELECT m.id, m.folder, s.structure, m.size, m.header_size AS headerSize
       FROM message_structures s JOIN messages m ON m.id = s.message WHERE s.header IS NULL`;
  const rows = all<{ id: number; folder: number; structure: string; size: number; headerSize: number }>(sql, find);
  const guessed = rows.filter((row) => row.structure === JSON.stringify(plainStructure(row.headerSize, row.size)));
  if (isDry) return guessed.length;
  for (const { id } of guessed) {
    sql.exec("DELETE FROM message_structures WHERE message = ?", id);
    sql.exec("INSERT OR IGNORE INTO structures_to_add (message) VALUES (?)", id);
  }
  for (const folder of new Set(guessed.map((row) => row.folder))) renewUidvalidity(sql, folder, now);
  return guessed.length;
}

/** Returns whether messages wait for their structure. */
export const hasUnstructured = (sql: Sql): boolean => first(sql, "SELECT 1 FROM structures_to_add LIMIT 1") !== null;
