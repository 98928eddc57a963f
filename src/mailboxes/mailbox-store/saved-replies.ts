import { mailboxBudgets } from "../../platform/budgets/objects.ts";
import { nameKey } from "./rules.ts";
import { all, first, type Sql } from "./sql.ts";

/** A text that people of a mailbox insert into replies. It may have placeholders. */
export interface SavedReply {
  id: string;
  name: string;
  text: string;
}

/** Returns the saved replies of a mailbox by name. */
export const listSavedReplies = (sql: Sql): SavedReply[] =>
  all<SavedReply>(sql, "SELECT id, name, text FROM saved_replies ORDER BY name");

export const findSavedReply = (sql: Sql, id: string): SavedReply | null =>
  first<SavedReply>(sql, "SELECT id, name, text FROM saved_replies WHERE id = ?", id);

export type SavedReplyResult = { reply: SavedReply } | { refused: "taken" | "too-many" | "unknown" };

/** Creates a saved reply, or changes the one with this id when `isNew` is false. */
export function saveReply(sql: Sql, reply: SavedReply, isNew: boolean): SavedReplyResult {
  if (!isNew && !findSavedReply(sql, reply.id)) return { refused: "unknown" };
  const others = listSavedReplies(sql).filter(({ id }) => id !== reply.id);
  if (others.some(({ name }) => nameKey(name) === nameKey(reply.name))) return { refused: "taken" };
  if (isNew && others.length >= mailboxBudgets.saved_replies.rows) return { refused: "too-many" };
  sql.exec("INSERT OR REPLACE INTO saved_replies (id, name, text) VALUES (?, ?, ?)", reply.id, reply.name, reply.text);
  return { reply };
}

/** Deletes a saved reply. Returns false when there is none. */
export const deleteSavedReply = (sql: Sql, id: string): boolean =>
  first(sql, "DELETE FROM saved_replies WHERE id = ? RETURNING id", id) !== null;
