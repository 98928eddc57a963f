import { type AddOptions, addMessage } from "./add.ts";
import { changeFlags } from "./flags.ts";
import { findFolder, folderIds } from "./folders.ts";
import { folderName } from "./rules.ts";
import { type Sql, value } from "./sql.ts";
import type { FlagChanges } from "./state-types.ts";
import type { NewMessage } from "./types.ts";

/** The result of an append. `known`: the mailbox has this message of its own already. */
export type AppendResult =
  | { result: "added" | "known"; uid: number; uidvalidity: number; usedBytes: number }
  | { result: "over-quota" }
  | { result: "no-folder" };

// Messages that the service stored in Sent itself have a delivery key; those that a mail program appended have none.
const FIND_SUBMITTED = `
  SELECT m.uid FROM thread_ids t JOIN messages m ON m.thread = t.thread AND m.message_id = t.message_id AND m.folder = ?2
    JOIN deliveries d ON d.object = m.object WHERE t.message_id = ?1 ORDER BY m.uid DESC LIMIT 1`;

/**
 * Stores a message of a mail program with its flags. One in Sent with the Message-ID of a message that the service stored there, because this
 * mailbox submitted it, changes nothing. Must run in a transaction.
 */
export function appendMessage(sql: Sql, message: NewMessage, changes: FlagChanges, options: AddOptions): AppendResult {
  const folder = findFolder(sql, message.folder);
  if (folderName(message.folder) === "Sent" && message.messageId !== null && folder) {
    const uid = value<number>(sql, FIND_SUBMITTED, message.messageId, folderIds.Sent);
    if (uid !== null) return { result: "known", uid, uidvalidity: folder.uidvalidity, usedBytes: 0 };
  }
  const added = addMessage(sql, message, { ...options, isImported: true });
  if (added.result === "duplicate") throw new Error("a message without a delivery key cannot repeat one");
  if (added.result !== "added") return { result: added.result };
  changeFlags(sql, added.folder, [added.uid], changes);
  const { uid, usedBytes } = added;
  return { result: "added", uid, uidvalidity: folder?.uidvalidity ?? 0, usedBytes };
}
