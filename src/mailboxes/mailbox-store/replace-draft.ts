import { type AddOptions, addMessage } from "./add.ts";
import { expungeMessages } from "./change.ts";
import { first, type Sql } from "./sql.ts";
import type { AddResult, NewMessage } from "./types.ts";

const FIND_SIZE = "SELECT m.size FROM folders f JOIN messages m ON m.folder = f.id WHERE f.name = ? AND m.uid = ?";

/**
 * Stores a draft in place of another one, whose room it may use. The old one is deleted only when the new one is stored: a
 * mailbox without room keeps what it has. Returns null when there is no such draft. Must run in a transaction.
 */
export function replaceDraft(sql: Sql, uid: number, message: NewMessage, options: AddOptions): AddResult | null {
  const old = first<{ size: number }>(sql, FIND_SIZE, message.folder, uid);
  if (!old) return null;
  const { quotaBytes, now } = options;
  const added = addMessage(sql, message, {
    ...options,
    quotaBytes: quotaBytes === null ? null : quotaBytes + old.size,
  });
  if (added.result !== "added") return added;
  expungeMessages(sql, message.folder, [uid], now);
  return { ...added, usedBytes: added.usedBytes - old.size };
}
