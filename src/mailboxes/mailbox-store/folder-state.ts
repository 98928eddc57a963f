import { listKeywords, STATE, type StateRow, toKeywords } from "./flags.ts";
import { type FolderRow, findFolder } from "./folders.ts";
import { all, column, type Sql, value } from "./sql.ts";
import type { FolderState } from "./state-types.ts";

const ALL = `SELECT ${STATE} FROM messages WHERE folder = ?1 ORDER BY uid`;

// The index by modification sequence, so that few changes read few rows.
const CHANGED = `SELECT ${STATE} FROM messages WHERE folder = ?1 AND modseq > ?2 ORDER BY uid`;

const EXPUNGED = "SELECT uid FROM expunged WHERE folder = ?1 AND modseq > ?2 ORDER BY uid";

/** Returns a folder with the states of all its messages, or null when there is no such folder. */
export function readFolder(sql: Sql, name: string): FolderState | null {
  const folder = findFolder(sql, name);
  return folder && toState(sql, folder, all<StateRow>(sql, ALL, folder.id), null);
}

/**
 * Returns the messages of a folder that are new or changed after a modification sequence, and the UIDs that were expunged. All messages
 * when expunges so long ago are no longer known. Null when there is no such folder.
 */
export function readChanges(sql: Sql, name: string, since: number): FolderState | null {
  const folder = findFolder(sql, name);
  if (!folder) return null;
  if (since < folder.expunged_after) return toState(sql, folder, all(sql, ALL, folder.id), null);
  if (since >= folder.modseq) return toState(sql, folder, [], []);
  return toState(sql, folder, all(sql, CHANGED, folder.id, since), column(sql, EXPUNGED, folder.id, since));
}

function toState(
  sql: Sql,
  { uidvalidity, uidnext, modseq }: FolderRow,
  messages: readonly StateRow[],
  expunged: number[] | null,
): FolderState {
  const keywordsOf: Record<number, string[]> = {};
  for (const [index, { keywords }] of messages.entries()) if (keywords !== "") keywordsOf[index] = toKeywords(keywords);
  return {
    uidvalidity,
    uidnext,
    modseq,
    keywords: listKeywords(sql),
    uids: toDifferences(messages.map(({ uid }) => uid)),
    modseqs: toDifferences(messages.map((message) => message.modseq)),
    flags: messages.map(({ flags }) => flags),
    keywordsOf,
    expunged,
  };
}

function toDifferences(values: readonly number[]): number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0));
}

/** Expunged UIDs of a folder that are kept, the number beyond which older ones are forgotten, and how many one run forgets. */
const KEPT_EXPUNGED = 10_000;
const MAX_EXPUNGED = 20_000;
const FORGOTTEN_PER_RUN = 20_000;

/**
 * Forgets the oldest expunged UIDs of a folder that has too many. Clients that need them then compare all messages. One run reads and
 * deletes those of one folder, up to a bound: each expunge raises the modification sequence, so a folder is due only after as many.
 */
export function forgetExpunged(sql: Sql): void {
  const find = `SELECT id FROM folders f WHERE modseq - expunged_after > ? OR EXISTS (
       SELECT 1 FROM expunged e WHERE e.folder = f.id AND e.modseq <= f.expunged_after) ORDER BY random() LIMIT 1`;
  const folderId = value<number>(sql, find, MAX_EXPUNGED);
  if (folderId === null) return;
  const update = `UPDATE folders SET expunged_after = (
       SELECT modseq FROM expunged WHERE folder = ?1 ORDER BY modseq DESC LIMIT 1 OFFSET ?2)
      WHERE id = ?1 AND EXISTS (SELECT 1 FROM expunged WHERE folder = ?1 AND modseq > expunged_after LIMIT 1 OFFSET ?3)`;
  sql.exec(update, folderId, KEPT_EXPUNGED, MAX_EXPUNGED);
  const remove = `DELETE FROM expunged WHERE folder = ?1 AND modseq IN (
       SELECT modseq FROM expunged WHERE folder = ?1 AND modseq <= (SELECT expunged_after FROM folders WHERE id = ?1)
        ORDER BY modseq LIMIT ?2)`;
  sql.exec(remove, folderId, FORGOTTEN_PER_RUN);
}
