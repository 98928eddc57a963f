import { findFolder } from "./folders.ts";
import { ITEM, type ItemRow, type MessageRow, STORED, toItem, toStored } from "./message-rows.ts";
import { limits, toMatch } from "./rules.ts";
import { all, first, type Sql, value } from "./sql.ts";
import type { MessageItem, MessagePage, Person, StoredMessage } from "./types.ts";

// The inner query reads the index only, also for the rows that OFFSET skips.
const LIST = `
  SELECT ${ITEM} FROM (
    SELECT folder, uid FROM messages WHERE folder = ?1 AND (received_at, uid) < (?2, ?3)
     ORDER BY received_at DESC, uid DESC LIMIT ?4 OFFSET ?5) page
    JOIN messages m ON m.folder = page.folder AND m.uid = page.uid JOIN folders f ON f.id = m.folder
   ORDER BY m.received_at DESC, m.uid DESC`;

/** The range of a list to read. `before` continues after the message with this UID. */
export interface Range {
  limit: number;
  offset: number;
  before?: number | undefined;
}

/** Returns messages of a folder, newest first. Null when there is no such folder. */
export function listMessages(sql: Sql, folderName: string, { limit, offset, before }: Range): MessagePage | null {
  const folder = findFolder(sql, folderName);
  if (!folder) return null;
  const from = findCursor(sql, folder.id, before);
  const items = all<ItemRow>(sql, LIST, folder.id, from.receivedAt, from.uid, limit, offset).map(toItem);
  return { items, total: folder.total };
}

/** Returns the place in the order of a folder that comes before a page: that of a message, or the beginning. */
function findCursor(sql: Sql, folderId: number, uid = Number.MAX_SAFE_INTEGER) {
  const find = "SELECT received_at FROM messages WHERE folder = ? AND uid = ?";
  return { receivedAt: value<number>(sql, find, folderId, uid) ?? Number.MAX_SAFE_INTEGER, uid };
}

const SEARCH = `
  SELECT ${ITEM} FROM (SELECT rowid AS id FROM message_search WHERE message_search MATCH ?1 ORDER BY rowid DESC LIMIT ?2 OFFSET ?3) page
    JOIN messages m ON m.id = page.id JOIN folders f ON f.id = m.folder ORDER BY m.id DESC`;

const COUNT =
  "SELECT count(*) AS total FROM (SELECT 1 FROM message_search WHERE message_search MATCH ?1 ORDER BY rowid DESC LIMIT ?2)";

/** Returns messages with every word of a text, newest first. `folderName` `*`: of all. `total` is at most 10,000. Null: no such folder. */
export function searchMessages(
  sql: Sql,
  text: string,
  folderName: string,
  { limit, offset }: Pick<Range, "limit" | "offset">,
): MessagePage | null {
  const folder = folderName === "*" ? null : findFolder(sql, folderName);
  if (folderName !== "*" && !folder) return null;
  const match = toMatch(text, folder?.id ?? null);
  if (match === null) return { items: [], total: 0 };
  const items = all<ItemRow>(sql, SEARCH, match, limit, offset).map(toItem);
  const isWhole = offset === 0 && items.length < limit;
  const total = isWhole ? items.length : (value<number>(sql, COUNT, match, limits.countedMatches) ?? 0);
  return { items, total };
}

const LABELLED = `
  SELECT ${ITEM} FROM (SELECT message AS id FROM message_labels WHERE label = ?1 ORDER BY message DESC LIMIT ?2 OFFSET ?3) page
    JOIN messages m ON m.id = page.id JOIN folders f ON f.id = m.folder ORDER BY m.id DESC`;

const COUNT_LABELLED = "SELECT count(*) AS total FROM (SELECT 1 FROM message_labels WHERE label = ?1 LIMIT ?2)";

/** Returns the messages with a label in all folders, newest first. The total counts at most 10,000. */
export function listLabelled(
  sql: Sql,
  labelId: string,
  { limit, offset }: Pick<Range, "limit" | "offset">,
): MessagePage {
  const items = all<ItemRow>(sql, LABELLED, labelId, limit, offset).map(toItem);
  const total = value<number>(sql, COUNT_LABELLED, labelId, limits.countedMatches) ?? 0;
  return { items, total };
}

/** Messages of one thread that are shown. */
const THREAD_MESSAGES = 500;

/** Returns the messages of a thread in all folders, oldest first: the newest 500. Empty for an unknown thread. */
export function listThread(sql: Sql, threadId: string): MessageItem[] {
  const find = `SELECT ${ITEM} FROM messages m JOIN folders f ON f.id = m.folder WHERE m.thread = ? ORDER BY m.received_at DESC, m.id DESC LIMIT ?`;
  return all<ItemRow>(sql, find, threadId, THREAD_MESSAGES).reverse().map(toItem);
}

/** Returns a message with the places of its parts, or null. */
export function findMessage(sql: Sql, folderName: string, uid: number): StoredMessage | null {
  const find = `SELECT ${STORED} FROM folders f JOIN messages m ON m.folder = f.id WHERE f.id = ? AND m.uid = ?`;
  const row = first<MessageRow>(sql, find, findFolder(sql, folderName)?.id ?? 0, uid);
  return row && toStored(row);
}

/** Returns the newest message with a Message-ID, or null. */
export function findByMessageId(sql: Sql, messageId: string): StoredMessage | null {
  const find = `SELECT f.name AS folder, m.uid FROM thread_ids t JOIN messages m ON m.thread = t.thread AND m.message_id = t.message_id
       JOIN folders f ON f.id = m.folder WHERE t.message_id = ? ORDER BY m.received_at DESC LIMIT 1`;
  const row = first<{ folder: string; uid: number }>(sql, find, messageId);
  return row && findMessage(sql, row.folder, row.uid);
}

/** Correspondents that completion looks at, and that it returns. */
const [COMPLETED_FROM, COMPLETIONS] = [5_000, 20];

/** Returns correspondents whose address or name contains a text, the most used first, at most 20. */
export function listAddresses(sql: Sql, text: string): Person[] {
  const find = `SELECT email, name FROM (SELECT email, name, uses FROM addresses ORDER BY uses DESC LIMIT ?2)
      WHERE instr(lower(email), ?1) OR instr(lower(name), ?1) ORDER BY uses DESC, email LIMIT ?3`;
  return all<{ email: string; name: string | null }>(sql, find, text.toLowerCase(), COMPLETED_FROM, COMPLETIONS);
}
