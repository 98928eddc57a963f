import { mailboxBudgets } from "../../platform/budgets/objects.ts";
import { findFolder } from "./folders.ts";
import { all, column, type Sql } from "./sql.ts";
import type { FlagChanges, KeywordChange, MessageState } from "./state-types.ts";

/** The columns of the flags, in the order of their bits (src/mail/imap/flags.ts). */
export const flagColumns = ["seen", "flagged", "answered", "draft", "deleted"] as const;

/** SQL: the flags of a message as bits. */
const FLAG_BITS = flagColumns.map((column, bit) => `${column} * ${1 << bit}`).join(" + ");

/** SQL: the state of a message. */
export const STATE = `uid, modseq, ${FLAG_BITS} AS flags, keywords`;

/** A row of STATE. */
export interface StateRow extends Omit<MessageState, "keywords"> {
  /** Separated by spaces. */
  keywords: string;
}

/** Returns the keywords of a row. */
export const toKeywords = (text: string): string[] => (text === "" ? [] : text.split(" "));

/** Returns the keywords of a mailbox in their order. */
export const listKeywords = (sql: Sql): string[] => column(sql, "SELECT name FROM keywords ORDER BY name");

/** The result of a change of flags: the messages as they are now, and the UIDs of those that were left alone. */
export type FlagResult =
  | { states: MessageState[]; modified: number[] }
  | { refused: "no-folder" | "too-many-keywords" };

const UPDATE = `
  UPDATE messages SET ${flagColumns.map((column, at) => `${column} = coalesce(?${at + 3}, ${column})`).join(", ")}
   WHERE folder = ?1 AND uid IN (SELECT value FROM json_each(?2))`;

/** SQL: the keywords of a message with spaces at both ends. */
const SPACED = "' ' || keywords || ' '";

const CHANGE_KEYWORD = {
  add: `
    UPDATE messages SET keywords = trim(keywords || ' ' || ?3)
     WHERE folder = ?1 AND uid IN (SELECT value FROM json_each(?2)) AND instr(${SPACED}, ' ' || ?3 || ' ') = 0`,
  remove: `
    UPDATE messages SET keywords = trim(replace(${SPACED}, ' ' || ?3 || ' ', ' '))
     WHERE folder = ?1 AND uid IN (SELECT value FROM json_each(?2)) AND instr(${SPACED}, ' ' || ?3 || ' ') > 0`,
};

const REPLACE_KEYWORDS = `
  UPDATE messages SET keywords = ?3 WHERE folder = ?1 AND uid IN (SELECT value FROM json_each(?2)) AND keywords <> ?3`;

/**
 * Changes flags and keywords of messages. With `unchangedSince`, messages with a greater modification sequence are left alone (RFC 7162
 * 3.1.3). A mailbox has at most 200 keywords. Must run in a transaction.
 */
export function changeFlags(
  sql: Sql,
  folderName: string,
  uids: readonly number[],
  changes: FlagChanges,
  unchangedSince: number | null = null,
): FlagResult {
  const folder = findFolder(sql, folderName);
  if (!folder) return { refused: "no-folder" };
  const names = knownNames(sql, changes.keywords);
  if (names === null) return { refused: "too-many-keywords" };
  const modified = unchangedSince === null ? [] : findModified(sql, folder.id, uids, unchangedSince);
  const left = new Set(modified);
  const list = JSON.stringify(left.size === 0 ? uids : uids.filter((uid) => !left.has(uid)));
  const bits = flagColumns.map((column) => (changes[column] === undefined ? null : changes[column] ? 1 : 0));
  if (bits.some((bit) => bit !== null)) sql.exec(UPDATE, folder.id, list, ...bits);
  if (changes.keywords) changeKeywords(sql, folder.id, list, { mode: changes.keywords.mode, names });
  return { states: findStates(sql, folder.id, list), modified };
}

/** Sets and clears flags. Returns the UIDs that exist, or null when there is no such folder. */
export function setFlags(sql: Sql, folderName: string, uids: readonly number[], flags: FlagChanges): number[] | null {
  const result = changeFlags(sql, folderName, uids, flags);
  return "states" in result ? result.states.map(({ uid }) => uid) : null;
}

function findModified(sql: Sql, folder: number, uids: readonly number[], since: number): number[] {
  const find =
    "SELECT uid FROM messages WHERE folder = ? AND uid IN (SELECT value FROM json_each(?)) AND modseq > ? ORDER BY uid";
  return column(sql, find, folder, JSON.stringify(uids), since);
}

function findStates(sql: Sql, folder: number, list: string): MessageState[] {
  const find = `SELECT ${STATE} FROM messages WHERE folder = ? AND uid IN (SELECT value FROM json_each(?)) ORDER BY uid`;
  return all<StateRow>(sql, find, folder, list).map((row) => ({ ...row, keywords: toKeywords(row.keywords) }));
}

function changeKeywords(sql: Sql, folder: number, list: string, { mode, names }: KeywordChange): void {
  if (mode === "replace") sql.exec(REPLACE_KEYWORDS, folder, list, [...names].sort().join(" "));
  else for (const name of names) sql.exec(CHANGE_KEYWORD[mode], folder, list, name);
}

/** Returns keywords in the letter case that the mailbox knows, and adds new ones that messages get. Null: they would be too many. */
function knownNames(sql: Sql, change: KeywordChange | undefined): string[] | null {
  if (!change || change.names.length === 0) return [];
  const known = new Map(listKeywords(sql).map((name) => [name.toLowerCase(), name]));
  const names = [...new Map(change.names.map((name) => [name.toLowerCase(), name])).values()];
  const added = change.mode === "remove" ? [] : names.filter((name) => !known.has(name.toLowerCase()));
  if (known.size + added.length > mailboxBudgets.keywords.rows) return null;
  sql.exec("INSERT INTO keywords SELECT value FROM json_each(?)", JSON.stringify(added));
  return names.map((name) => known.get(name.toLowerCase()) ?? name);
}
