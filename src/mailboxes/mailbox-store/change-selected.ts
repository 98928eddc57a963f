import { expungeMessages, moveMessages, restoreFromSpam } from "./change.ts";
import { flagsSet, messagesExpunged, messagesMoved } from "./changes.ts";
import { setFlags } from "./flags.ts";
import { type FolderRow, findFolder, folderIds } from "./folders.ts";
import { readQuota } from "./quota.ts";
import { column, first, type Sql } from "./sql.ts";
import { type Author, noteMove } from "./thread-states.ts";
import type { MailboxChange } from "./types.ts";

/** Messages of a folder: by their UIDs, and those of conversations. */
export interface Selection {
  folder: string;
  uids: readonly number[];
  threads: readonly string[];
  /** The greatest UID of messages of conversations: that of the folder when it was shown. Null: no conversation is selected. */
  upTo: number | null;
}

/** A change of all messages of a selection. */
export type SelectedChange =
  | { type: "flag"; flag: "seen" | "flagged"; isSet: boolean }
  | { type: "label"; labelId: string; isAdded: boolean }
  | { type: "move"; to: string }
  /** Back from Spam to where they came from. */
  | { type: "restore" }
  | { type: "expunge" };

/**
 * The number of messages that were changed or deleted, and where those are now that were changed: what was so before is not
 * among these, so the contrary change of them undoes this one.
 */
export type SelectedResult =
  | { count: number; changed: { folder: string; uids: number[] }[] }
  | { unknown: "folder" | "label" };

/** Messages of one selection that are changed at once. Further ones of its conversations stay as they are. */
export const MAX_SELECTED = 500;

interface Outcome {
  result: SelectedResult;
  /** Changes that clients are told of. */
  changes: MailboxChange[];
}

/** Changes selected messages; `by` is noted as who moved them; null: nobody is. None changes when a change names an unknown folder or label. Must run in a transaction. `now` in ms since 1970. */
export function changeSelected(
  sql: Sql,
  inputs: readonly { selection: Selection; change: SelectedChange }[],
  by: Author | null,
  now: number,
): { results: SelectedResult[]; changes: MailboxChange[]; usedBytes: number } {
  const unknowns = inputs.map(({ change }) => findUnknown(sql, change));
  if (unknowns.some((unknown) => unknown !== null)) {
    const results = unknowns.map((unknown) => (unknown === null ? nothing.result : { unknown }));
    return { results, changes: [], usedBytes: readQuota(sql).usedBytes };
  }
  const outcomes = inputs.map(({ selection, change }) => {
    const folder = findFolder(sql, selection.folder);
    return folder ? run(sql, { folder, uids: find(sql, folder.id, selection, change), change, by }, now) : nothing;
  });
  return {
    results: outcomes.map(({ result }) => result),
    changes: outcomes.flatMap(({ changes }) => changes),
    usedBytes: readQuota(sql).usedBytes,
  };
}

/** Returns the kind of what a change names and the mailbox does not have, or null. */
function findUnknown(sql: Sql, change: SelectedChange): "folder" | "label" | null {
  if (change.type === "move") return findFolder(sql, change.to) ? null : "folder";
  if (change.type === "label") return first(sql, "SELECT 1 FROM labels WHERE id = ?", change.labelId) ? null : "label";
  return null;
}

const nothing: Outcome = { result: { count: 0, changed: [] }, changes: [] };

const BY_UID = "SELECT m.uid FROM json_each(?2) j CROSS JOIN messages m ON m.folder = ?1 AND m.uid = j.value LIMIT ?3";

// UIDs of a folder only grow, so a message that came after the page was read has a greater one.
const BY_THREAD = `
  SELECT m.uid FROM json_each(?2) j CROSS JOIN messages m ON m.folder = ?1 AND m.thread = j.value AND m.uid <= ?4 LIMIT ?3`;

const UNSEEN_BY_THREAD = `
  SELECT m.uid FROM json_each(?2) j CROSS JOIN messages m INDEXED BY messages_unseen
      ON m.folder = ?1 AND m.thread = j.value AND m.seen = 0 AND m.uid <= ?4 LIMIT ?3`;

const NEWEST_BY_THREAD = `
  SELECT m.uid FROM json_each(?2) j CROSS JOIN messages m ON m.folder = ?1 AND m.uid = (
      SELECT n.uid FROM messages n WHERE n.folder = ?1 AND n.thread = j.value AND n.uid <= ?4
       ORDER BY n.received_at DESC, n.uid DESC LIMIT 1) LIMIT ?3`;

/** Returns the UIDs of the messages of a selection that exist, at most 500. */
function find(sql: Sql, folderId: number, { uids, threads, upTo }: Selection, change: SelectedChange): number[] {
  const read = (query: string, values: readonly (number | string)[], ...more: number[]) =>
    column<number>(sql, query, folderId, JSON.stringify(values), MAX_SELECTED, ...more);
  const ofThreads = threads.length > 0 ? read(queryOf(change), threads, upTo ?? 0) : [];
  return [...new Set([...read(BY_UID, uids), ...ofThreads])].slice(0, MAX_SELECTED);
}

/** Returns the query of a conversation's messages. As unread only the newest is marked, which makes the conversation unread. */
function queryOf(change: SelectedChange): string {
  if (change.type !== "flag" || change.flag !== "seen") return BY_THREAD;
  return change.isSet ? UNSEEN_BY_THREAD : NEWEST_BY_THREAD;
}

interface Found {
  folder: FolderRow;
  uids: number[];
  change: SelectedChange;
  by: Author | null;
}

function run(sql: Sql, { folder, uids, change, by }: Found, now: number): Outcome {
  switch (change.type) {
    case "flag":
      return told(folder.name, flag(sql, folder, uids, change));
    case "label":
      return told(folder.name, label(sql, folder.id, uids, change));
    case "move":
      return move(sql, { folder, uids, by }, change.to, now);
    case "restore":
      return folder.id === folderIds.Spam ? restore(sql, uids, now) : nothing;
    case "expunge": {
      const expunged = expungeMessages(sql, folder.name, uids, now);
      return {
        result: { count: expunged?.length ?? 0, changed: [] },
        changes: messagesExpunged(folder.name, expunged),
      };
    }
  }
}

const told = (folder: string, uids: number[]): Outcome => ({
  result: { count: uids.length, changed: uids.length > 0 ? [{ folder, uids }] : [] },
  changes: flagsSet(folder, uids),
});

function flag(
  sql: Sql,
  folder: FolderRow,
  uids: readonly number[],
  { flag: name, isSet }: { flag: "seen" | "flagged"; isSet: boolean },
): number[] {
  const find = `SELECT uid FROM messages WHERE folder = ?1 AND uid IN (SELECT value FROM json_each(?2)) AND ${name} <> ?3`;
  const others = column<number>(sql, find, folder.id, JSON.stringify(uids), isSet ? 1 : 0);
  return setFlags(sql, folder.name, others, { [name]: isSet }) ?? [];
}

function label(
  sql: Sql,
  folderId: number,
  uids: readonly number[],
  { labelId, isAdded }: { labelId: string; isAdded: boolean },
): number[] {
  const selected = "SELECT id FROM messages WHERE folder = ?1 AND uid IN (SELECT value FROM json_each(?2))";
  const change = isAdded
    ? `INSERT OR IGNORE INTO message_labels (message, label) SELECT id, ?3 FROM (${selected}) RETURNING message`
    : `DELETE FROM message_labels WHERE label = ?3 AND message IN (${selected}) RETURNING message`;
  const changed = column<number>(sql, change, folderId, JSON.stringify(uids), labelId);
  const findUids = "SELECT uid FROM messages WHERE id IN (SELECT value FROM json_each(?)) ORDER BY uid";
  return column(sql, findUids, JSON.stringify(changed));
}

function move(sql: Sql, { folder, uids, by }: Omit<Found, "change">, to: string, now: number): Outcome {
  const target = findFolder(sql, to);
  if (!target) return nothing;
  const result = moveMessages(sql, folder.name, uids, target.name, now);
  const moved = "moved" in result ? result.moved : [];
  if (folder.id === target.id || moved.length === 0) return nothing;
  const newUids = moved.map(({ newUid }) => newUid);
  if (by) noteMove(sql, target, newUids, by, now);
  return {
    result: { count: moved.length, changed: [{ folder: target.name, uids: newUids }] },
    changes: messagesMoved(folder.name, target.name, moved),
  };
}

function restore(sql: Sql, uids: readonly number[], now: number): Outcome {
  const restored = restoreFromSpam(sql, uids, now);
  const places = Map.groupBy(restored, ({ folder }) => folder);
  const changed = [...places].map(([folder, moved]) => ({ folder, uids: moved.map(({ newUid }) => newUid) }));
  return {
    result: { count: restored.length, changed },
    changes: restored.flatMap((message) => messagesMoved("Spam", message.folder, [message])),
  };
}
