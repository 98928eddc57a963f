import type { SearchKey } from "../src/mail/imap/search-keys.ts";
import {
  type ConversationRange,
  describeContents,
  exportMessages,
  fetchMessages,
  findByMessageId,
  findClaims,
  findFilter,
  findImport,
  findImported,
  findMessage,
  listAddresses,
  listBlockedSenders,
  listConversations,
  listFilters,
  listFolderStates,
  listFolders,
  listImports,
  listLabelled,
  listLabels,
  listMessages,
  listSections,
  listThread,
  makerlessFilters,
  openConversation,
  type Range,
  readChanges,
  readFilterRun,
  readFolder,
  readQuota,
  readSignature,
  searchByKey,
  searchMessages,
  type WantedColumns,
} from "../src/mailboxes/mailbox-store/index.ts";
import { BackupObject } from "./backup-object.ts";

/** The methods of a mailbox object that change nothing. */
export abstract class MailboxReads extends BackupObject {
  async listFolders() {
    return listFolders(this.sql);
  }

  /** Returns all folders with what mail programs ask of them. */
  async listFolderStates() {
    return listFolderStates(this.sql);
  }

  /** Returns a folder with the states of all its messages. */
  async readFolder(folder: string) {
    return readFolder(this.sql, folder);
  }

  /** Returns the emails that send these drafts. */
  async findClaims(uids: readonly number[]) {
    return findClaims(this.sql, uids);
  }

  /** Returns what changed in a folder after a modification sequence. */
  async readChanges(folder: string, since: number) {
    return readChanges(this.sql, folder, since);
  }

  /** Returns messages with these UIDs, at most 200, with what is wanted of them. */
  async fetchMessages(folder: string, uids: readonly number[], wanted: WantedColumns) {
    return fetchMessages(this.sql, folder, uids, wanted);
  }

  /** Returns the messages of a folder after a UID that meet a condition, of the next 1,000. */
  async searchByKey(folder: string, key: SearchKey, after: number) {
    return searchByKey(this.sql, folder, key, after);
  }

  async list(folder: string, range: Range) {
    return listMessages(this.sql, folder, range);
  }

  /** Returns conversations of a folder, newest first. */
  async listConversations(folder: string, range: ConversationRange) {
    return listConversations(this.sql, folder, range);
  }

  /** Returns the conversation of a message with what is shown of its messages. */
  async openConversation(folder: string, uid: number) {
    return openConversation(this.sql, folder, uid);
  }

  async search(text: string, folder: string, range: Pick<Range, "limit" | "offset">) {
    return searchMessages(this.sql, text, folder, range);
  }

  /** Returns the messages with a label in all folders, newest first. */
  async listLabelled(labelId: string, range: Pick<Range, "limit" | "offset">) {
    return listLabelled(this.sql, labelId, range);
  }

  async find(folder: string, uid: number) {
    return findMessage(this.sql, folder, uid);
  }

  /** Returns the newest message with a Message-ID. */
  async findByMessageId(messageId: string) {
    return findByMessageId(this.sql, messageId);
  }

  async thread(threadId: string) {
    return listThread(this.sql, threadId);
  }

  async addresses(text: string) {
    return listAddresses(this.sql, text);
  }

  async quota() {
    return readQuota(this.sql);
  }

  async sections() {
    return listSections(this.sql);
  }

  async listLabels() {
    return listLabels(this.sql);
  }

  /** Returns messages to export after a cursor, 0 at first. */
  async exportMessages(range: { after: number; limit: number; folderName: string | null }) {
    return exportMessages(this.sql, range);
  }

  async describeContents() {
    return describeContents(this.sql);
  }

  /** Returns those of these delivery keys whose message is in the mailbox. */
  async findImported(keys: readonly string[]) {
    return findImported(this.sql, keys);
  }

  async findImport(id: string) {
    return findImport(this.sql, id);
  }

  async listImports() {
    return listImports(this.sql);
  }

  async signature() {
    return readSignature(this.sql);
  }

  /** Returns what the page needs that writes a message, in one call. */
  async forWriting() {
    return { addresses: listAddresses(this.sql, ""), signature: readSignature(this.sql) };
  }

  async listFilters() {
    return listFilters(this.sql);
  }

  async makerlessFilters(workspace: number) {
    return makerlessFilters(this.sql, workspace);
  }

  async findFilter(id: string) {
    return findFilter(this.sql, id);
  }

  /** Returns the run of the filters over a folder that goes on, or the last one. */
  async filterRun() {
    return readFilterRun(this.sql);
  }

  async listBlockedSenders() {
    return listBlockedSenders(this.sql);
  }
}
