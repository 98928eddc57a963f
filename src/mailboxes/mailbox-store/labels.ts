import { mailboxBudgets } from "../../platform/budgets/objects.ts";
import { findFolder } from "./folders.ts";
import { nameKey } from "./rules.ts";
import { all, first, type Sql } from "./sql.ts";
import type { Label } from "./types.ts";

/** Returns the labels of a mailbox by name. */
export const listLabels = (sql: Sql): Label[] => all<Label>(sql, "SELECT id, name, color FROM labels ORDER BY name");

export type LabelResult = { label: Label } | { refused: "taken" | "too-many" | "unknown" };

/** Creates a label, or changes the one with this id when `isNew` is false. */
export function saveLabel(sql: Sql, label: Label, isNew: boolean): LabelResult {
  const known = first<Label>(sql, "SELECT * FROM labels WHERE id = ?", label.id);
  if (!isNew && !known) return { refused: "unknown" };
  const others = listLabels(sql).filter(({ id }) => id !== label.id);
  if (others.some(({ name }) => nameKey(name) === nameKey(label.name))) return { refused: "taken" };
  if (isNew && others.length >= mailboxBudgets.labels.rows) return { refused: "too-many" };
  const insert =
    "INSERT INTO labels (id, name, color) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET name = excluded.name, color = excluded.color";
  sql.exec(insert, label.id, label.name, label.color);
  return { label };
}

/** Deletes a label and takes it from its messages. Returns false when there is none. */
export function deleteLabel(sql: Sql, id: string): boolean {
  sql.exec("DELETE FROM message_labels WHERE label = ?", id);
  return first(sql, "DELETE FROM labels WHERE id = ? RETURNING id", id) !== null;
}

/** How labels of messages change: they get exactly these, these too, or no longer these. */
export type LabelChange = "replace" | "add" | "remove";

/** Changes the labels of messages. Returns the UIDs that exist, or what does not exist. Must run in a transaction. */
export function changeLabels(
  sql: Sql,
  folder: string,
  uids: readonly number[],
  labelIds: readonly string[],
  change: LabelChange,
): { uids: number[] } | { unknown: "folder" | "label" } {
  const found = findFolder(sql, folder);
  if (!found) return { unknown: "folder" };
  const labels = JSON.stringify(labelIds);
  const known = all(sql, "SELECT id FROM labels WHERE id IN (SELECT value FROM json_each(?))", labels);
  if (known.length !== new Set(labelIds).size) return { unknown: "label" };
  const find = "SELECT id, uid FROM messages WHERE folder = ? AND uid IN (SELECT value FROM json_each(?))";
  const messages = all<{ id: number; uid: number }>(sql, find, found.id, JSON.stringify(uids));
  const ids = JSON.stringify(messages.map(({ id }) => id));
  if (change === "replace")
    sql.exec("DELETE FROM message_labels WHERE message IN (SELECT value FROM json_each(?))", ids);
  const statement =
    change === "remove"
      ? `DELETE FROM message_labels WHERE message IN (SELECT value FROM json_each(?1)) AND label IN (SELECT value FROM json_each(?2))`
      : "INSERT OR IGNORE INTO message_labels SELECT m.value, l.value FROM json_each(?1) m, json_each(?2) l";
  sql.exec(statement, ids, labels);
  return { uids: messages.map(({ uid }) => uid) };
}
