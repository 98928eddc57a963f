import { DurableObject } from "cloudflare:workers";
import {
  addMessage,
  addUpload,
  changeLabels,
  createFolder,
  deleteFolder,
  deleteLabel,
  expungeMessages,
  type FlagChanges,
  findByMessageId,
  findMessage,
  forgetObjects,
  type Label,
  type LabelChange,
  listAddresses,
  listBlockedSenders,
  listFolders,
  listLabels,
  listMessages,
  listSections,
  listThread,
  type MailboxStore,
  migrate,
  moveMessages,
  type NewMessage,
  nextExpiry,
  type Range,
  readQuota,
  removeExpired,
  renameFolder,
  replaceBlockedSenders,
  restoreFromSpam,
  saveLabel,
  searchMessages,
  setFlags,
} from "../src/mailbox-store/index.ts";

/** Delay before the alarm removes expunged messages from R2: reads that were running have ended by then. */
const REMOVAL_DELAY_MS = 120_000;

/**
 * The mail of one hosted mailbox, named by the mailbox's id: folders, messages and their search index. The raw messages are
 * objects in R2. Every method is one transaction, and storage is synchronous, so calls cannot interleave.
 */
export class MailboxObject extends DurableObject<Env> implements MailboxStore {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.transactionSync(() => migrate(ctx.storage.sql, Date.now()));
  }

  get #sql(): SqlStorage {
    return this.ctx.storage.sql;
  }

  /** Runs a change in a transaction and sets the alarm for what it leaves to do. */
  async #change<Result>(change: () => Result): Promise<Result> {
    const result = this.ctx.storage.transactionSync(change);
    await this.#setAlarm(Date.now() + REMOVAL_DELAY_MS);
    return result;
  }

  async #setAlarm(earliest: number): Promise<void> {
    const next = nextExpiry(this.#sql, earliest);
    const planned = await this.ctx.storage.getAlarm();
    if (next !== null && (planned === null || next < planned))
      await this.ctx.storage.setAlarm(Math.max(next, earliest));
  }

  add(message: NewMessage, quotaBytes: number | null) {
    const options = { quotaBytes, now: Date.now(), newId: () => crypto.randomUUID() };
    return this.#change(() => addMessage(this.#sql, message, options));
  }

  replaceDraft(uid: number, message: NewMessage, quotaBytes: number | null) {
    const options = { quotaBytes, now: Date.now(), newId: () => crypto.randomUUID() };
    return this.#change(() => {
      if (!expungeMessages(this.#sql, message.folder, [uid])?.length) return null;
      return addMessage(this.#sql, message, options);
    });
  }

  async listFolders() {
    return listFolders(this.#sql);
  }

  createFolder(name: string) {
    return this.#change(() => createFolder(this.#sql, name, Date.now()));
  }

  renameFolder(name: string, newName: string) {
    return this.#change(() => renameFolder(this.#sql, name, newName));
  }

  deleteFolder(name: string) {
    return this.#change(() => deleteFolder(this.#sql, name));
  }

  async list(folder: string, range: Range) {
    return listMessages(this.#sql, folder, range);
  }

  async search(text: string, folder: string, range: Pick<Range, "limit" | "offset">) {
    return searchMessages(this.#sql, text, folder, range);
  }

  async find(folder: string, uid: number) {
    return findMessage(this.#sql, folder, uid);
  }

  async findByMessageId(messageId: string) {
    return findByMessageId(this.#sql, messageId);
  }

  addUpload(object: string) {
    return this.#change(() => addUpload(this.#sql, object, Date.now()));
  }

  async thread(threadId: string) {
    return listThread(this.#sql, threadId);
  }

  async addresses(text: string) {
    return listAddresses(this.#sql, text);
  }

  async quota() {
    return readQuota(this.#sql);
  }

  async sections() {
    return listSections(this.#sql);
  }

  setFlags(folder: string, uids: readonly number[], flags: FlagChanges) {
    return this.#change(() => setFlags(this.#sql, folder, uids, flags));
  }

  move(from: string, uids: readonly number[], to: string) {
    return this.#change(() => moveMessages(this.#sql, { from, uids, to }, Date.now()));
  }

  restore(uids: readonly number[]) {
    return this.#change(() => restoreFromSpam(this.#sql, uids, Date.now()));
  }

  expunge(folder: string, uids: readonly number[]) {
    return this.#change(() => {
      const expunged = expungeMessages(this.#sql, folder, uids);
      return expunged && { uids: expunged, usedBytes: readQuota(this.#sql).usedBytes };
    });
  }

  async listLabels() {
    return listLabels(this.#sql);
  }

  saveLabel(label: Label, isNew: boolean) {
    return this.#change(() => saveLabel(this.#sql, label, isNew));
  }

  deleteLabel(id: string) {
    return this.#change(() => deleteLabel(this.#sql, id));
  }

  changeLabels(folder: string, uids: readonly number[], labelIds: readonly string[], change: LabelChange) {
    return this.#change(() => changeLabels(this.#sql, { folder, uids, labelIds, change }));
  }

  async listBlockedSenders() {
    return listBlockedSenders(this.#sql);
  }

  replaceBlockedSenders(emails: readonly string[]) {
    return this.#change(() => replaceBlockedSenders(this.#sql, emails));
  }

  async destroy() {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /** Removes what has been in Trash or Spam for 30 days, and the objects of expunged messages. Safe to repeat. */
  override async alarm(): Promise<void> {
    const objects = this.ctx.storage.transactionSync(() => removeExpired(this.#sql, Date.now()));
    if (objects.length > 0) await this.env.CONTENT.delete(objects);
    this.ctx.storage.transactionSync(() => forgetObjects(this.#sql, objects));
    await this.#setAlarm(Date.now());
  }
}
