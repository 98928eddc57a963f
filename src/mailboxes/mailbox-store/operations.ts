import { addMessage } from "./add.ts";
import { appendMessage } from "./append.ts";
import { createContents, describeContents, exportMessages, findImported, importMessages } from "./archive.ts";
import { takeReplyTurn } from "./auto-replied.ts";
import { blockSender, listBlockedSenders, replaceBlockedSenders, unblockSender } from "./blocked-senders.ts";
import {
  addUpload,
  expungeMarked,
  expungeMessages,
  expungeOldest,
  findMissing,
  moveAll,
  moveMessages,
  removeUnknownObjects,
  restoreFromSpam,
} from "./change.ts";
import { changeSelected, type SelectedChange, type Selection } from "./change-selected.ts";
import {
  flagsSet,
  foldersChanged,
  messageAdded,
  messagesCopied,
  messagesExpunged,
  messagesMoved,
  threadChanged,
} from "./changes.ts";
import { listConversations } from "./conversations.ts";
import { copyMessages } from "./copy.ts";
import { claimDraft, findClaims } from "./draft-claims.ts";
import { fetchMessages } from "./fetch.ts";
import { readFilterRun, startFilterRun } from "./filter-run.ts";
import {
  createFilter,
  deleteFilter,
  findFilter,
  forwardingFilters,
  listFilters,
  shiftFilter,
  updateFilter,
} from "./filters.ts";
import { changeFlags, setFlags } from "./flags.ts";
import { readChanges, readFolder } from "./folder-state.ts";
import { createFolder, deleteFolder, listFolderStates, listFolders, renameFolder, subscribe } from "./folders.ts";
import { endImport, findImport, listImports, startImport } from "./imports.ts";
import { changeLabels, deleteLabel, listLabels, saveLabel } from "./labels.ts";
import { openConversation } from "./open-conversation.ts";
import { change, changeAt, type MethodsOf, type Operation, type ReadsOf, read } from "./operation.ts";
import { listSections, readQuota } from "./quota.ts";
import {
  findByMessageId,
  findMessage,
  listAddresses,
  listLabelled,
  listMessages,
  listThread,
  searchMessages,
} from "./read.ts";
import { replaceDraft } from "./replace-draft.ts";
import { deleteSavedReply, findSavedReply, listSavedReplies, saveReply } from "./saved-replies.ts";
import { searchByKey } from "./search-by-key.ts";
import { readSignature, saveSignature } from "./signature.ts";
import type { Sql } from "./sql.ts";
import type { FlagChanges } from "./state-types.ts";
import { forgetGuesses } from "./structures.ts";
import { type Author, changeThread, deleteNote, listThreadEntries, readThreadState } from "./thread-states.ts";
import { noteWriting } from "./thread-writers.ts";
import type { ArchiveContents, ImportedMessage, ImportProgress, NewMessage } from "./types.ts";

const toOptions = (quotaBytes: number | null, now: number) => ({ quotaBytes, now, newId: () => crypto.randomUUID() });

/** Returns an operation that deletes messages for good. It returns their UIDs and the bytes that are left, or null when there is no folder. */
const expunging = <Args extends [folder: string, ...unknown[]]>(
  expunge: (sql: Sql, ...args: [...Args, now: number]) => number[] | null,
) =>
  changeAt(
    (sql, ...args: [...Args, now: number]) => {
      const uids = expunge(sql, ...args);
      return uids && { uids, usedBytes: readQuota(sql).usedBytes };
    },
    (expunged, [folder]) => messagesExpunged(folder, expunged?.uids ?? null),
  );

/** Returns an operation that moves messages. */
const moving = <Result extends ReturnType<typeof moveAll>>(
  move: (sql: Sql, from: string, uids: readonly number[], to: string, now: number) => Result,
) => changeAt(move, (result, [from, , to]) => ("moved" in result ? messagesMoved(from, to, result.moved) : []));

/** The operations of a mailbox. Null, as a result: there is no such folder or message. */
export const operations = {
  addresses: read(listAddresses),
  describeContents: read(describeContents),
  exportMessages: read(exportMessages),
  fetchMessages: read(fetchMessages),
  filterRun: read(readFilterRun),
  find: read(findMessage),
  findByMessageId: read(findByMessageId),
  findClaims: read(findClaims),
  findFilter: read(findFilter),
  findImport: read(findImport),
  findImported: read(findImported),
  findMissing: read(findMissing),
  findSavedReply: read(findSavedReply),
  /** Returns what the page needs that writes a message, in one call. */
  forWriting: read((sql) => ({
    addresses: listAddresses(sql, ""),
    signature: readSignature(sql),
    savedReplies: listSavedReplies(sql),
  })),
  list: read(listMessages),
  listBlockedSenders: read(listBlockedSenders),
  listConversations: read(listConversations),
  listFilters: read(listFilters),
  listFolderStates: read(listFolderStates),
  listFolders: read(listFolders),
  listImports: read(listImports),
  listLabelled: read(listLabelled),
  listLabels: read(listLabels),
  listSavedReplies: read(listSavedReplies),
  forwardingFilters: read(forwardingFilters),
  openConversation: read(openConversation),
  quota: read(readQuota),
  readChanges: read(readChanges),
  readFolder: read(readFolder),
  search: read(searchMessages),
  searchByKey: read(searchByKey),
  sections: read(listSections),
  signature: read(readSignature),
  thread: read(listThread),
  threadState: read((sql, thread: string) => ({
    state: readThreadState(sql, thread),
    entries: listThreadEntries(sql, thread),
  })),

  add: changeAt(
    (sql, message: NewMessage, quotaBytes: number | null, now: number) =>
      addMessage(sql, message, toOptions(quotaBytes, now)),
    (added) => messageAdded(added),
  ),
  addUpload: changeAt(addUpload),
  append: changeAt(
    (sql, message: NewMessage, flags: FlagChanges, quotaBytes: number | null, now: number) =>
      appendMessage(sql, message, flags, toOptions(quotaBytes, now)),
    (appended, [{ folder }]) => messageAdded({ ...appended, folder }),
  ),
  blockSender: change(blockSender),
  changeFlags: change(changeFlags, (result, [folder]) => {
    return flagsSet(folder, "states" in result ? result.states.map(({ uid }) => uid) : null);
  }),
  changeLabels: change(changeLabels, (result, [folder]) => flagsSet(folder, "uids" in result ? result.uids : null)),
  changeSelected: {
    isRead: false,
    run(sql, now, [inputs, by]) {
      const { changes, ...result } = changeSelected(sql, inputs, by ?? null, now);
      return { result, changes };
    },
  } satisfies Operation<
    [inputs: readonly { selection: Selection; change: SelectedChange }[], by?: Author | null],
    Omit<ReturnType<typeof changeSelected>, "changes">
  >,
  changeThread: changeAt(changeThread, (result) => ("refused" in result ? [] : threadChanged())),
  claimDraft: change(claimDraft),
  copy: changeAt(copyMessages, (result, [, , to]) => ("copied" in result ? messagesCopied(to, result.copied) : [])),
  createContents: changeAt(
    (sql, contents: ArchiveContents, now: number) => createContents(sql, contents, toOptions(null, now)),
    (created) => created.map((folder) => ({ type: "folder", folder, uid: null })),
  ),
  createFilter: changeAt(createFilter),
  createFolder: changeAt(createFolder, foldersChanged),
  deleteFilter: change(deleteFilter),
  deleteFolder: change(deleteFolder, (result, [name]) => foldersChanged(result, [name])),
  deleteLabel: change(deleteLabel),
  deleteNote: change(deleteNote, (isDeleted) => (isDeleted ? threadChanged() : [])),
  deleteSavedReply: change(deleteSavedReply),
  endImport: changeAt(endImport),
  expunge: expunging(expungeMessages),
  expungeMarked: expunging(expungeMarked),
  expungeOldest: expunging(expungeOldest),
  forgetGuesses: changeAt(forgetGuesses),
  importMessages: changeAt(
    (
      sql,
      messages: readonly ImportedMessage[],
      quotaBytes: number | null,
      progress: ImportProgress | null,
      now: number,
    ) => importMessages(sql, messages, progress, toOptions(quotaBytes, now)),
    (results) => (results ?? []).flatMap(messageAdded),
  ),
  move: moving(moveMessages),
  noteWriting: changeAt(noteWriting, threadChanged),
  moveAll: moving(moveAll),
  removeUnknownObjects: changeAt(removeUnknownObjects),
  renameFolder: change(renameFolder, foldersChanged),
  replaceBlockedSenders: change(replaceBlockedSenders),
  replaceDraft: changeAt(
    (sql, uid: number, message: NewMessage, quotaBytes: number | null, stopped: string | null, now: number) =>
      replaceDraft(sql, uid, message, { ...toOptions(quotaBytes, now), stopped }),
    (added, [uid, { folder }]) =>
      added?.result === "added" ? [...messagesExpunged(folder, [uid]), ...messageAdded(added)] : [],
  ),
  restore: changeAt(restoreFromSpam, (restored) =>
    restored.flatMap((message) => messagesMoved("Spam", message.folder, [message])),
  ),
  saveLabel: change(saveLabel),
  saveReply: change(saveReply),
  saveSignature: change(saveSignature),
  setFlags: change(setFlags, (uids, [folder]) => flagsSet(folder, uids)),
  shiftFilter: change(shiftFilter),
  startFilterRun: changeAt(startFilterRun),
  startImport: changeAt(startImport),
  subscribe: change(subscribe),
  takeReplyTurn: change(takeReplyTurn),
  unblockSender: change(unblockSender),
  updateFilter: changeAt(updateFilter),
};

/** The operations as methods of the object of a mailbox. */
export type MailboxOperations = MethodsOf<typeof operations>;
/** Those that the right to read mail is enough for. */
export type MailboxReads = MethodsOf<ReadsOf<typeof operations>>;
