import { findFolder, takeUids } from "./folders.ts";
import { readQuota } from "./quota.ts";
import { placeToken } from "./rules.ts";
import { all, type Sql, value } from "./sql.ts";
import { copyStructure } from "./structures.ts";
import type { MovedMessage } from "./types.ts";

/** Columns that a copy has from its message. Its thread is the same, its object too. */
const COPIED = `object, received_at, date, message_id, thread, in_reply_to, from_email, from_name, subject, preview, size, header_size,
  seen, flagged, answered, draft, deleted, keywords, files, file_bytes, problem, recipients, refs, authentication, parts,
  delivered_to`;

/** The result of a copy: the UIDs before and after, or why there is none. */
export type CopyResult =
  | { copied: MovedMessage[]; uidvalidity: number; usedBytes: number }
  | { unknown: "from" | "to" | "message" }
  | { refused: "over-quota" };

/** Copies messages of a folder to another or the same one (RFC 3501 6.4.7): all or none of them. Must run in a transaction. */
export function copyMessages(
  sql: Sql,
  from: string,
  uids: readonly number[],
  to: string,
  { quotaBytes, mustExist }: { quotaBytes: number | null; mustExist: boolean },
  now: number,
): CopyResult {
  const source = findFolder(sql, from);
  if (!source) return { unknown: "from" };
  const target = findFolder(sql, to);
  if (!target) return { unknown: "to" };
  const find =
    "SELECT id, uid, size FROM messages WHERE folder = ? AND uid IN (SELECT value FROM json_each(?)) ORDER BY uid";
  const found = all<{ id: number; uid: number; size: number }>(sql, find, source.id, JSON.stringify(uids));
  if (mustExist && found.length < uids.length) return { unknown: "message" };
  const usedBytes = readQuota(sql).usedBytes + found.reduce((sum, { size }) => sum + size, 0);
  if (quotaBytes !== null && usedBytes > quotaBytes) return { refused: "over-quota" };
  if (found.length === 0) return { copied: [], uidvalidity: target.uidvalidity, usedBytes };
  const firstUid = takeUids(sql, target.id, found.length);
  const copied = found.map(({ id, uid }, index) => {
    const newUid = firstUid + index;
    copyOne(sql, id, { folder: target.id, uid: newUid, now });
    return { uid, newUid };
  });
  return { copied, uidvalidity: target.uidvalidity, usedBytes };
}

function copyOne(sql: Sql, id: number, { folder, uid, now }: { folder: number; uid: number; now: number }): void {
  const insertCopy = `INSERT INTO messages (folder, uid, arrived_at, ${COPIED}) SELECT ?2, ?3, ?4, ${COPIED} FROM messages WHERE id = ?1 RETURNING id`;
  const copy = value<number>(sql, insertCopy, id, folder, uid, now);
  if (copy === null) throw new Error("the message was not copied");
  copyStructure(sql, id, copy);
  sql.exec("INSERT INTO message_labels SELECT ?2, label FROM message_labels WHERE message = ?1", id, copy);
  const insert = `INSERT INTO message_search (rowid, place, sender, recipients, subject, body)
     SELECT ?2, ?3, sender, recipients, subject, body FROM message_search WHERE rowid = ?1`;
  sql.exec(insert, id, copy, placeToken(folder));
}
