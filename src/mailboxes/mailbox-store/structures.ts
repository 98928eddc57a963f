import type { MessageStructure } from "../../mail/structures/index.ts";
import { all, first, type Sql } from "./sql.ts";

/** Records the structure of a message, and its header if that is known. */
export function addStructure(sql: Sql, message: number, structure: MessageStructure, header: string | null): void {
  sql.exec(
    "INSERT OR REPLACE INTO message_structures (message, header, structure) VALUES (?, ?, ?)",
    message,
    header,
    JSON.stringify(structure),
  );
}

/** Records the structure of a message for its copy. A message without one has the copy wait for one too. */
export function copyStructure(sql: Sql, message: number, copy: number): void {
  sql.exec(
    "INSERT INTO message_structures SELECT ?2, header, structure FROM message_structures WHERE message = ?1",
    message,
    copy,
  );
  sql.exec("INSERT INTO structures_to_add SELECT ?2 FROM structures_to_add WHERE message = ?1", message, copy);
}

/** A message of an earlier version, whose structure is to be found out. */
export interface UnstructuredMessage {
  id: number;
  object: string;
  size: number;
  headerSize: number;
}

/** Returns messages without a structure, and forgets those that were expunged meanwhile. */
export function findUnstructured(sql: Sql, limit: number): UnstructuredMessage[] {
  sql.exec("DELETE FROM structures_to_add WHERE message NOT IN (SELECT id FROM messages)");
  return all<UnstructuredMessage>(
    sql,
    "SELECT m.id, m.object, m.size, m.header_size AS headerSize FROM structures_to_add s JOIN messages m ON m.id = s.message ORDER BY s.message DESC LIMIT ?",
    limit,
  );
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

/** Returns whether messages wait for their structure. */
export const hasUnstructured = (sql: Sql): boolean => first(sql, "SELECT 1 FROM structures_to_add LIMIT 1") !== null;
