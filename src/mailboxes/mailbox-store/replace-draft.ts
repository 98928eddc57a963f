import { type AddOptions, addMessage } from "./add.ts";
import { expungeMessages } from "./change.ts";
import { findClaims } from "./draft-claims.ts";
import { type Sql, value } from "./sql.ts";
import type { AddResult, NewMessage } from "./types.ts";

const FIND_SIZE = "SELECT m.size FROM folders f JOIN messages m ON m.folder = f.id WHERE f.name = ? AND m.uid = ?";

/**
 * Stores a draft in place of another one, whose room it may use. The old one is deleted only when the new one is stored: a
 * mailbox without room keeps what it has. Returns null when there is no such draft, and a conflict when another email than the one that was
 * stopped (null: none) sends it. Must run in a transaction.
 */
export function replaceDraft(
  sql: Sql,
  uid: number,
  message: NewMessage,
  { stopped, ...options }: AddOptions & { stopped: string | null },
): AddResult | { result: "sending"; email: string } | null {
  const oldSize = value<number>(sql, FIND_SIZE, message.folder, uid);
  if (oldSize === null) return null;
  const [claim] = findClaims(sql, [uid]);
  if (claim && claim.email !== stopped) return { result: "sending", email: claim.email };
  const { quotaBytes, now } = options;
  const withRoom = { ...options, quotaBytes: quotaBytes === null ? null : quotaBytes + oldSize };
  const added = addMessage(sql, message, withRoom);
  if (added.result !== "added") return added;
  expungeMessages(sql, message.folder, [uid], now);
  return { ...added, usedBytes: added.usedBytes - oldSize };
}
