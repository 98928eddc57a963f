import { DAY_MS } from "../../lib/time.ts";
import { mailboxBudgets } from "../../platform/budgets/objects.ts";
import { findFolder, folderIds, takeUids } from "./folders.ts";
import { placeToken, REMOVAL_DELAY_MS } from "./rules.ts";
import { all, column, first, type Sql } from "./sql.ts";
import type { MovedMessage } from "./types.ts";

/** Messages that one call expunges. */
const MAX_EXPUNGED = 5_000;

interface Found {
  id: number;
  uid: number;
  came_from: number | null;
}

/** Returns the messages of a folder with these UIDs, in order of UID. */
function findByUid(sql: Sql, folderId: number, uids: readonly number[]): Found[] {
  const find = `SELECT id, uid, came_from FROM messages WHERE folder = ? AND uid IN (SELECT value FROM json_each(?)) ORDER BY uid`;
  return all<Found>(sql, find, folderId, JSON.stringify(uids));
}

/**
 * Moves messages to another folder, where each gets a new UID (RFC 9051 6.6.2). Within its own folder a message stays as it
 * is. Returns the moved messages, or the folder that does not exist. Must run in a transaction. `now` in ms since 1970.
 */
export function moveMessages(
  sql: Sql,
  from: string,
  uids: readonly number[],
  to: string,
  now: number,
): { moved: MovedMessage[]; uidvalidity: number } | { unknown: "from" | "to" } {
  const source = findFolder(sql, from);
  if (!source) return { unknown: "from" };
  const target = findFolder(sql, to);
  if (!target) return { unknown: "to" };
  const found = findByUid(sql, source.id, uids);
  const { uidvalidity } = target;
  if (source.id === target.id) return { moved: found.map(({ uid }) => ({ uid, newUid: uid })), uidvalidity };
  return { moved: place(sql, found, source.id, target.id, now), uidvalidity };
}

/** Returns what a move names and does not exist, or null. `mustExist`: each message must. */
export function findMissing(
  sql: Sql,
  from: string,
  uids: readonly number[],
  to: string,
  mustExist: boolean,
): "from" | "to" | "message" | null {
  const source = findFolder(sql, from);
  if (!source) return "from";
  if (!findFolder(sql, to)) return "to";
  return mustExist && findByUid(sql, source.id, uids).length < uids.length ? "message" : null;
}

/** Moves messages as `moveMessages` does, or none of them when one does not exist. */
export function moveAll(sql: Sql, from: string, uids: readonly number[], to: string, now: number) {
  const unknown = findMissing(sql, from, uids, to, true);
  return unknown === null ? moveMessages(sql, from, uids, to, now) : { unknown };
}

function place(sql: Sql, found: readonly Found[], sourceId: number, targetId: number, now: number): MovedMessage[] {
  if (found.length === 0) return [];
  const firstUid = takeUids(sql, targetId, found.length);
  return found.map(({ id, uid }, index) => {
    const newUid = firstUid + index;
    const update = "UPDATE messages SET folder = ?, uid = ?, came_from = ?, arrived_at = ? WHERE id = ?";
    sql.exec(update, targetId, newUid, sourceId, now, id);
    sql.exec("UPDATE message_search SET place = ? WHERE rowid = ?", placeToken(targetId), id);
    return { uid, newUid };
  });
}

/** Moves messages of Spam back to the folders that they came from; to INBOX if that is gone. Returns them with their folder. */
export function restoreFromSpam(sql: Sql, uids: readonly number[], now: number) {
  return findByUid(sql, folderIds.Spam, uids).flatMap((message) => {
    const cameFrom = [folderIds.Spam, folderIds.Trash].includes(message.came_from ?? folderIds.Spam)
      ? null
      : message.came_from;
    const find = "SELECT id, name FROM folders WHERE id = ?";
    const known = first<{ id: number; name: string }>(sql, find, cameFrom ?? folderIds.INBOX);
    const target = known ?? { id: folderIds.INBOX, name: "INBOX" };
    return place(sql, [message], folderIds.Spam, target.id, now).map((moved) => ({ ...moved, folder: target.name }));
  });
}

/**
 * Deletes messages for good. Their objects are listed for deletion in the same transaction. Returns the UIDs that existed, or
 * null when there is no such folder. `now` in ms since 1970.
 */
export function expungeMessages(sql: Sql, folderName: string, uids: readonly number[], now: number): number[] | null {
  const folder = findFolder(sql, folderName);
  if (!folder) return null;
  const found = findByUid(sql, folder.id, uids);
  expunge(sql, found, now);
  return found.map(({ uid }) => uid);
}

/**
 * Deletes messages that are marked as deleted for good: all of a folder, or those of these UIDs. Returns their UIDs, at most 5,000, or
 * null when there is no such folder. `now` in ms since 1970.
 */
export function expungeMarked(
  sql: Sql,
  folderName: string,
  uids: readonly number[] | null,
  now: number,
): number[] | null {
  if (uids === null) return expungeFirst(sql, folderName, now, "AND deleted = 1");
  const condition = "AND deleted = 1 AND uid IN (SELECT value FROM json_each(?2))";
  return expungeFirst(sql, folderName, now, condition, JSON.stringify(uids));
}

/** Deletes messages of a folder for good, the oldest 5,000. Returns their UIDs, or null when there is no such folder. `now` in ms since 1970. */
export function expungeOldest(sql: Sql, folderName: string, now: number): number[] | null {
  return expungeFirst(sql, folderName, now, "");
}

/** Deletes the first messages of a folder that a condition on its rows selects: `?1` is the folder, `values` are the parameters after it. */
function expungeFirst(sql: Sql, folderName: string, now: number, condition: string, ...values: string[]) {
  const folder = findFolder(sql, folderName);
  if (!folder) return null;
  const select = `SELECT id, uid FROM messages WHERE folder = ?1 ${condition} ORDER BY uid LIMIT ${MAX_EXPUNGED}`;
  const found = all<{ id: number; uid: number }>(sql, select, folder.id, ...values);
  expunge(sql, found, now);
  return found.map(({ uid }) => uid);
}

/** Deletes messages for good, and lists their objects for deletion. `now` in ms since 1970. */
export function expunge(sql: Sql, messages: readonly { id: number }[], now: number): void {
  const list = JSON.stringify(messages.map(({ id }) => id));
  const ofMessages = "FROM messages WHERE id IN (SELECT value FROM json_each(?))";
  const threads = column<string>(sql, `SELECT DISTINCT thread ${ofMessages}`, list);
  const objects = column<string>(sql, `SELECT DISTINCT object ${ofMessages}`, list);
  sql.exec("DELETE FROM message_search WHERE rowid IN (SELECT value FROM json_each(?))", list);
  sql.exec("DELETE FROM message_labels WHERE message IN (SELECT value FROM json_each(?))", list);
  sql.exec(`DELETE ${ofMessages}`, list);
  removeUnknownObjects(sql, objects, now + REMOVAL_DELAY_MS);
  const ended = "SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM messages WHERE thread = value)";
  for (const table of ["thread_ids", "thread_states", "thread_entries"])
    sql.exec(`DELETE FROM ${table} WHERE thread IN (${ended})`, JSON.stringify(threads));
}

/**
 * Lists those of these objects for deletion that no message and no upload names, and returns their number. A copy of a message names
 * the same object. `dueAt`: when they may be deleted, in ms since 1970.
 */
export function removeUnknownObjects(sql: Sql, objects: readonly string[], dueAt: number): number {
  const insert = `INSERT OR IGNORE INTO deleted_objects (object, due_at)
     SELECT value, ?2 FROM json_each(?1) WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.object = value)
        AND NOT EXISTS (SELECT 1 FROM uploads u WHERE u.object = value)
        AND NOT EXISTS (SELECT 1 FROM imports i WHERE i.object = value) RETURNING object`;
  return all(sql, insert, JSON.stringify(objects), dueAt).length;
}

/** Records a file that was uploaded for a message. It is deleted a day later. Returns false at the limit. `now` in ms since 1970. */
export function addUpload(sql: Sql, object: string, now: number): boolean {
  const insert = `INSERT OR REPLACE INTO uploads (object, expires_at)
     SELECT ?, ? WHERE (SELECT count(*) FROM uploads) < ${mailboxBudgets.uploads.rows} RETURNING object`;
  return all(sql, insert, object, now + DAY_MS).length > 0;
}
