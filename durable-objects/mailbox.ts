import {
  type ArchiveContents,
  addMessage,
  addStructures,
  addUpload,
  blockSender,
  changeLabels,
  changeSelected,
  claimDraft,
  continueFilterRun,
  createContents,
  createFilter,
  createFolder,
  type DraftClaim,
  deleteFilter,
  deleteFolder,
  deleteLabel,
  endImport,
  expungeMessages,
  type FilterChanges,
  type FilterIn,
  type FlagChanges,
  flagsSet,
  foldersChanged,
  forgetGuesses,
  type ImportedMessage,
  type ImportProgress,
  importMessages,
  type Label,
  type LabelChange,
  labelsSet,
  messageAdded,
  messagesExpunged,
  messagesMoved,
  moveMessages,
  type NewImport,
  type NewMessage,
  removeUnknownObjects,
  renameFolder,
  replaceBlockedSenders,
  replaceDraft,
  restoreFromSpam,
  runExpiry,
  type SelectedChange,
  type Selection,
  type Signature,
  saveLabel,
  saveSignature,
  setFlags,
  shiftFilter,
  startFilterRun,
  startImport,
  takeReplyTurn,
  unblockSender,
  updateFilter,
} from "../src/mailboxes/mailbox-store/index.ts";
import { createContext } from "../src/platform/context.ts";
import { MailboxChanges } from "./mailbox-changes.ts";

const newId = () => crypto.randomUUID();

/**
 * The mail of one hosted mailbox, named by the mailbox's id: folders, messages and their search index. The raw messages are
 * objects in R2. Every method is one transaction, and storage is synchronous, so calls cannot interleave. Null: there is no
 * such folder or message. Clients with an open socket are told of every change.
 */
export class MailboxObject extends MailboxChanges {
  add(message: NewMessage, quotaBytes: number | null) {
    return this.change(() => addMessage(this.sql, message, { quotaBytes, now: Date.now(), newId }), messageAdded);
  }

  /** Stores a draft in place of another one, which it deletes. Null: there is no such draft. */
  replaceDraft(uid: number, message: NewMessage, quotaBytes: number | null, stopped: string | null) {
    return this.change(
      () => replaceDraft(this.sql, uid, message, { quotaBytes, now: Date.now(), newId, stopped }),
      (added) =>
        added?.result === "added" ? [...messagesExpunged(message.folder, [uid]), ...messageAdded(added)] : [],
    );
  }

  /** Claims a draft for an email, or frees it, unless an email other than `stopped` has claimed it. Returns its claim then. */
  claimDraft(uid: number, claim: DraftClaim | null, stopped: string | null) {
    return this.change(() => claimDraft(this.sql, uid, claim, stopped));
  }

  createFolder(name: string) {
    return this.change(
      () => createFolder(this.sql, name, Date.now()),
      (result) => foldersChanged(result, name),
    );
  }

  renameFolder(name: string, newName: string) {
    return this.change(
      () => renameFolder(this.sql, name, newName),
      (result) => foldersChanged(result, name, newName),
    );
  }

  deleteFolder(name: string) {
    return this.change(
      () => deleteFolder(this.sql, name),
      (result) => foldersChanged(result, name),
    );
  }

  /** Records a file that was uploaded for a message, to delete it a day later. */
  addUpload(object: string) {
    return this.change(() => addUpload(this.sql, object, Date.now()));
  }

  /** Deletes those of these objects that the mailbox does not know, and returns their number. */
  removeUnknownObjects(objects: readonly string[]) {
    return this.change(() => removeUnknownObjects(this.sql, objects, Date.now()));
  }

  setFlags(folder: string, uids: readonly number[], flags: FlagChanges) {
    return this.change(
      () => setFlags(this.sql, folder, uids, flags),
      (set) => flagsSet(folder, set),
    );
  }

  move(from: string, uids: readonly number[], to: string) {
    return this.change(
      () => moveMessages(this.sql, { from, uids, to }, Date.now()),
      (result) => ("moved" in result ? messagesMoved(from, to, result.moved) : []),
    );
  }

  restore(uids: readonly number[]) {
    return this.change(
      () => restoreFromSpam(this.sql, uids, Date.now()),
      (restored) => restored.flatMap((message) => messagesMoved("Spam", message.folder, [message])),
    );
  }

  /** Returns the UIDs that were deleted and the bytes that are left. */
  expunge(folder: string, uids: readonly number[]) {
    return this.expungeBy(folder, () => expungeMessages(this.sql, folder, uids, Date.now()));
  }

  saveLabel(label: Label, isNew: boolean) {
    return this.change(() => saveLabel(this.sql, label, isNew));
  }

  deleteLabel(id: string) {
    return this.change(() => deleteLabel(this.sql, id));
  }

  changeLabels(folder: string, uids: readonly number[], labelIds: readonly string[], change: LabelChange) {
    return this.change(
      () => changeLabels(this.sql, { folder, uids, labelIds, change }),
      (result) => labelsSet(folder, result),
    );
  }

  /** Changes selected messages. Returns a result for each selection, and the bytes of the mailbox afterwards. */
  async changeSelected(inputs: readonly { selection: Selection; change: SelectedChange }[]) {
    const { results, usedBytes } = await this.change(
      () => changeSelected(this.sql, inputs, Date.now()),
      ({ changes }) => changes,
    );
    return { results, usedBytes };
  }

  async createContents(contents: ArchiveContents) {
    await this.change(
      () => createContents(this.sql, contents, { now: Date.now(), newId }),
      (created) => created.map((folder) => ({ type: "folder", folder, uid: null })),
    );
  }

  /** Stores messages of an archive. Null: another run has moved the import. */
  importMessages(
    messages: readonly ImportedMessage[],
    quotaBytes: number | null,
    progress: ImportProgress | null = null,
  ) {
    return this.change(
      () => importMessages(this.sql, messages, progress, { quotaBytes, now: Date.now(), newId }),
      (results) =>
        (results ?? []).flatMap((one) =>
          one.result === "added" ? [{ type: "message" as const, folder: one.folder, uid: one.uid }] : [],
        ),
    );
  }

  /** Starts an import in the background. Returns false when too many run. */
  startImport(added: NewImport) {
    return this.change(() => startImport(this.sql, added, Date.now()));
  }

  endImport(id: string, status: "done" | "failed", error: string | null) {
    return this.change(() => endImport(this.sql, id, status, error, Date.now()));
  }

  /**
   * Returns whether a sender gets an automatic reply: none in the last day, except this same one. `reply` identifies it, `at` is
   * in ms since 1970.
   */
  takeReplyTurn(sender: string, reply: string, at: number) {
    return this.change(() => takeReplyTurn(this.sql, sender, { reply, at }));
  }

  replaceBlockedSenders(emails: readonly string[]) {
    return this.change(() => replaceBlockedSenders(this.sql, emails));
  }

  /** Adds a sender whose mail goes to Spam. Returns false beyond the limit. */
  blockSender(email: string) {
    return this.change(() => blockSender(this.sql, email));
  }

  unblockSender(email: string) {
    return this.change(() => unblockSender(this.sql, email));
  }

  createFilter(filter: FilterIn) {
    return this.change(() => createFilter(this.sql, filter, Date.now()));
  }

  updateFilter(id: string, changes: FilterChanges) {
    return this.change(() => updateFilter(this.sql, id, changes, Date.now()));
  }

  deleteFilter(id: string) {
    return this.change(() => deleteFilter(this.sql, id));
  }

  shiftFilter(id: string, by: -1 | 1) {
    return this.change(() => shiftFilter(this.sql, id, by));
  }

  /** Starts to apply the filters to a folder. The alarm goes on with it. */
  startFilterRun(folder: string) {
    return this.change(() => startFilterRun(this.sql, folder, Date.now()));
  }

  saveSignature(signature: Signature | null) {
    return this.change(() => saveSignature(this.sql, signature));
  }

  /** Has the structures found out that an earlier version guessed for messages without objects. Returns their number; `isDry` only counts. */
  forgetGuesses(isDry: boolean) {
    return this.change(() => forgetGuesses(this.sql, Date.now(), isDry));
  }

  /** Deletes everything that the mailbox has. */
  async destroy() {
    this.sockets.closeAll();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /**
   * Removes what has been in Trash or Spam for 30 days, and the objects of expunged messages, goes on with a run of the filters, finds out
   * structures, and closes the sockets
   * whose access has ended. Safe to repeat.
   */
  override async alarm(): Promise<void> {
    await this.sockets.check();
    const ctx = createContext(this.env, newId());
    this.sockets.announce(this.ctx.storage.transactionSync(() => continueFilterRun(this.sql, Date.now())));
    await runExpiry(ctx, this.ctx.storage, (changes) => this.sockets.announce(changes));
    await this.setAlarm(await addStructures(ctx, this.ctx.storage));
  }
}
