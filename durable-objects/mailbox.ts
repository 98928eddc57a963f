import { EventSockets } from "../src/mailboxes/inbox/events/index.ts";
import {
  type ArchiveContents,
  addMessage,
  addStructures,
  addUpload,
  appendMessage,
  blockSender,
  changeFlags,
  changeLabels,
  changeSelected,
  copyMessages,
  createContents,
  createFolder,
  deleteFolder,
  deleteLabel,
  endImport,
  expungeMarked,
  expungeMessages,
  type FlagChanges,
  flagsSet,
  folderName,
  foldersChanged,
  type ImportedMessage,
  type ImportProgress,
  importMessages,
  type Label,
  type LabelChange,
  labelsSet,
  type MailboxChange,
  messageAdded,
  messagesCopied,
  messagesExpunged,
  messagesMoved,
  migrate,
  moveMessages,
  type NewImport,
  type NewMessage,
  nextExpiry,
  readQuota,
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
  startImport,
  subscribe,
  takeReplyTurn,
  unblockSender,
} from "../src/mailboxes/mailbox-store/index.ts";
import { createContext } from "../src/platform/context.ts";
import { MailboxReads } from "./mailbox-reads.ts";

const newId = () => crypto.randomUUID();

/**
 * The mail of one hosted mailbox, named by the mailbox's id: folders, messages and their search index. The raw messages are
 * objects in R2. Every method is one transaction, and storage is synchronous, so calls cannot interleave. Null: there is no
 * such folder or message. Clients with an open socket are told of every change.
 */
export class MailboxObject extends MailboxReads {
  readonly #sockets: EventSockets;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sockets = new EventSockets(ctx, env);
    ctx.storage.transactionSync(() => migrate(ctx.storage.sql, Date.now()));
  }

  /** Runs a change in a transaction, sets the alarm for what it leaves to do, and tells the sockets of it. */
  async #change<Result>(
    change: () => Result,
    toChanges: (result: NoInfer<Result>) => MailboxChange[] = () => [],
  ): Promise<Result> {
    const result = this.ctx.storage.transactionSync(change);
    await this.#setAlarm();
    this.#sockets.announce(toChanges(result));
    return result;
  }

  /** Sets the alarm for the next expiry, or for the next check of the sockets. */
  async #setAlarm(): Promise<void> {
    const times = [nextExpiry(this.sql, Date.now()), this.#sockets.nextCheck(Date.now())].filter(
      (time) => time !== null,
    );
    if (times.length === 0) return;
    const next = Math.max(Math.min(...times), Date.now());
    const planned = await this.ctx.storage.getAlarm();
    if (planned === null || next < planned) await this.ctx.storage.setAlarm(next);
  }

  /** Opens a socket of changes. */
  override async fetch(request: Request): Promise<Response> {
    const response = this.#sockets.accept(request);
    await this.#setAlarm();
    return response;
  }

  override webSocketMessage(socket: WebSocket): void {
    this.#sockets.refuseMessage(socket);
  }

  /** Closes the sockets of clients whose access has ended. */
  async checkAccess() {
    await this.#sockets.checkEnded();
  }

  add(message: NewMessage, quotaBytes: number | null) {
    return this.#change(() => addMessage(this.sql, message, { quotaBytes, now: Date.now(), newId }), messageAdded);
  }

  /** Stores a message of a mail program with its flags. */
  append(message: NewMessage, changes: FlagChanges, quotaBytes: number | null) {
    return this.#change(
      () => appendMessage(this.sql, message, changes, { quotaBytes, now: Date.now(), newId }),
      (result) =>
        result.result === "added" ? [{ type: "message", folder: folderName(message.folder), uid: result.uid }] : [],
    );
  }

  /** Stores a draft in place of another one, which it deletes. Null: there is no such draft. */
  replaceDraft(uid: number, message: NewMessage, quotaBytes: number | null) {
    return this.#change(
      () => replaceDraft(this.sql, uid, message, { quotaBytes, now: Date.now(), newId }),
      (added) =>
        added?.result === "added" ? [...messagesExpunged(message.folder, [uid]), ...messageAdded(added)] : [],
    );
  }

  createFolder(name: string) {
    return this.#change(
      () => createFolder(this.sql, name, Date.now()),
      (result) => foldersChanged(result, name),
    );
  }

  renameFolder(name: string, newName: string) {
    return this.#change(
      () => renameFolder(this.sql, name, newName),
      (result) => foldersChanged(result, name, newName),
    );
  }

  subscribe(name: string, isSubscribed: boolean) {
    return this.#change(() => subscribe(this.sql, name, isSubscribed));
  }

  deleteFolder(name: string) {
    return this.#change(
      () => deleteFolder(this.sql, name),
      (result) => foldersChanged(result, name),
    );
  }

  /** Records a file that was uploaded for a message, to delete it a day later. */
  addUpload(object: string) {
    return this.#change(() => addUpload(this.sql, object, Date.now()));
  }

  /** Deletes those of these objects that the mailbox does not know, and returns their number. */
  removeUnknownObjects(objects: readonly string[]) {
    return this.#change(() => removeUnknownObjects(this.sql, objects, Date.now()));
  }

  setFlags(folder: string, uids: readonly number[], flags: FlagChanges) {
    return this.#change(
      () => setFlags(this.sql, folder, uids, flags),
      (set) => flagsSet(folder, set),
    );
  }

  /** Changes flags and keywords of messages. Returns them as they are now. */
  changeFlags(folder: string, uids: readonly number[], changes: FlagChanges, unchangedSince: number | null = null) {
    return this.#change(
      () => changeFlags(this.sql, folder, uids, changes, unchangedSince),
      (result) =>
        "states" in result
          ? flagsSet(
              folder,
              result.states.map(({ uid }) => uid),
            )
          : [],
    );
  }

  /** Copies messages. Returns their UIDs before and after. */
  copy(from: string, uids: readonly number[], to: string, quotaBytes: number | null) {
    return this.#change(
      () => copyMessages(this.sql, { from, uids, to }, { quotaBytes, now: Date.now() }),
      (result) => ("copied" in result ? messagesCopied(to, result.copied) : []),
    );
  }

  /** Expunges messages that are marked as deleted: all of a folder, or those of these UIDs. Returns their UIDs and the bytes that are left. */
  expungeMarked(folder: string, uids: readonly number[] | null) {
    return this.#change(
      () => {
        const expunged = expungeMarked(this.sql, folder, uids, Date.now());
        return expunged && { uids: expunged, usedBytes: readQuota(this.sql).usedBytes };
      },
      (expunged) => messagesExpunged(folder, expunged?.uids ?? null),
    );
  }

  move(from: string, uids: readonly number[], to: string) {
    return this.#change(
      () => moveMessages(this.sql, { from, uids, to }, Date.now()),
      (result) => ("moved" in result ? messagesMoved(from, to, result.moved) : []),
    );
  }

  restore(uids: readonly number[]) {
    return this.#change(
      () => restoreFromSpam(this.sql, uids, Date.now()),
      (restored) => restored.flatMap((message) => messagesMoved("Spam", message.folder, [message])),
    );
  }

  /** Returns the UIDs that were deleted and the bytes that are left. */
  expunge(folder: string, uids: readonly number[]) {
    return this.#change(
      () => {
        const expunged = expungeMessages(this.sql, folder, uids, Date.now());
        return expunged && { uids: expunged, usedBytes: readQuota(this.sql).usedBytes };
      },
      (expunged) => messagesExpunged(folder, expunged?.uids ?? null),
    );
  }

  saveLabel(label: Label, isNew: boolean) {
    return this.#change(() => saveLabel(this.sql, label, isNew));
  }

  deleteLabel(id: string) {
    return this.#change(() => deleteLabel(this.sql, id));
  }

  changeLabels(folder: string, uids: readonly number[], labelIds: readonly string[], change: LabelChange) {
    return this.#change(
      () => changeLabels(this.sql, { folder, uids, labelIds, change }),
      (result) => labelsSet(folder, result),
    );
  }

  /** Changes selected messages. Returns a result for each selection, and the bytes of the mailbox afterwards. */
  async changeSelected(inputs: readonly { selection: Selection; change: SelectedChange }[]) {
    const { results, usedBytes } = await this.#change(
      () => changeSelected(this.sql, inputs, Date.now()),
      ({ changes }) => changes,
    );
    return { results, usedBytes };
  }

  async createContents(contents: ArchiveContents) {
    await this.#change(
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
    return this.#change(
      () => importMessages(this.sql, messages, progress, { quotaBytes, now: Date.now(), newId }),
      (results) =>
        (results ?? []).flatMap((one) =>
          one.result === "added" ? [{ type: "message" as const, folder: one.folder, uid: one.uid }] : [],
        ),
    );
  }

  /** Starts an import in the background. Returns false when too many run. */
  startImport(added: NewImport) {
    return this.#change(() => startImport(this.sql, added, Date.now()));
  }

  endImport(id: string, status: "done" | "failed", error: string | null) {
    return this.#change(() => endImport(this.sql, id, status, error, Date.now()));
  }

  /**
   * Returns whether a sender gets an automatic reply: none in the last day, except this same one. `reply` identifies it, `at` is
   * in ms since 1970.
   */
  takeReplyTurn(sender: string, reply: string, at: number) {
    return this.#change(() => takeReplyTurn(this.sql, sender, { reply, at }));
  }

  replaceBlockedSenders(emails: readonly string[]) {
    return this.#change(() => replaceBlockedSenders(this.sql, emails));
  }

  /** Adds a sender whose mail goes to Spam. Returns false beyond the limit. */
  blockSender(email: string) {
    return this.#change(() => blockSender(this.sql, email));
  }

  unblockSender(email: string) {
    return this.#change(() => unblockSender(this.sql, email));
  }

  saveSignature(signature: Signature | null) {
    return this.#change(() => saveSignature(this.sql, signature));
  }

  /** Deletes everything that the mailbox has. */
  async destroy() {
    this.#sockets.closeAll();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /**
   * Removes what has been in Trash or Spam for 30 days, and the objects of expunged messages, finds out structures, and closes the sockets
   * whose access has ended. Safe to repeat.
   */
  override async alarm(): Promise<void> {
    await this.#sockets.check();
    const ctx = createContext(this.env, newId());
    await runExpiry(ctx, this.ctx.storage, (changes) => this.#sockets.announce(changes));
    await addStructures(ctx, this.ctx.storage);
    await this.#setAlarm();
  }
}
