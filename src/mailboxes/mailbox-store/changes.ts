import { folderName } from "./rules.ts";
import type { MailboxChange, MovedMessage } from "./types.ts";

/** Messages to the clients of a mailbox by kind of change (docs/contract/inbox.md#changes-of-a-mailbox). Pure. */

/** Returns the change of a message that was stored. */
export function messageAdded(added: { result: string; folder?: string; uid?: number } | null): MailboxChange[] {
  if (added?.result !== "added" || added.folder === undefined) return [];
  return [{ type: "message", folder: folderName(added.folder), uid: added.uid ?? null }];
}

/** Returns the changes of messages whose flags or labels were set. */
export function flagsSet(folder: string, uids: readonly number[] | null): MailboxChange[] {
  return (uids ?? []).map((uid) => ({ type: "flags", folder: folderName(folder), uid }));
}

/** Returns the changes of messages that were moved: `move` is the place that a message left, `message` its new place. */
export function messagesMoved(from: string, to: string, moved: readonly MovedMessage[]): MailboxChange[] {
  const [source, target] = [folderName(from), folderName(to)];
  if (source === target) return [];
  return moved.flatMap(({ uid, newUid }) => [
    { type: "move" as const, folder: source, uid },
    { type: "message" as const, folder: target, uid: newUid },
  ]);
}

/** Returns the changes of messages that were copied to a folder. */
export function messagesCopied(to: string, copied: readonly MovedMessage[]): MailboxChange[] {
  return copied.map(({ newUid }) => ({ type: "message", folder: folderName(to), uid: newUid }));
}

/** Returns the changes of messages that were deleted for good. */
export function messagesExpunged(folder: string, uids: readonly number[] | null): MailboxChange[] {
  return (uids ?? []).map((uid) => ({ type: "expunge", folder: folderName(folder), uid }));
}

/** Returns the changes of folders that were created, renamed or deleted. */
export function foldersChanged(result: object, names: readonly string[]): MailboxChange[] {
  return "folder" in result ? names.map((name) => ({ type: "folder", folder: folderName(name), uid: null })) : [];
}

/** Returns the change of a conversation: clients list the folders again that show its state. */
export const threadChanged = (): MailboxChange[] => [{ type: "folder", folder: "INBOX", uid: null }];

/** Changes that clients are told one by one. More at once are told as one `folder` change of each folder. */
const MAX_CHANGES = 1_000;

/** Returns the changes to tell. A `folder` change asks the client to list the folder again. */
export function summarize(changes: readonly MailboxChange[]): MailboxChange[] {
  if (changes.length <= MAX_CHANGES) return [...changes];
  const folders = new Set(changes.map(({ folder }) => folder));
  return [...folders].map((folder) => ({ type: "folder", folder, uid: null }));
}
