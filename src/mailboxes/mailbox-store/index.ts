export { addMessage } from "./add.ts";
export { addStructures } from "./add-structures.ts";
export { appendMessage } from "./append.ts";
export { createContents, describeContents, exportMessages, findImported, importMessages } from "./archive.ts";
export { takeReplyTurn } from "./auto-replied.ts";
export { blockSender, listBlockedSenders, replaceBlockedSenders, unblockSender } from "./blocked-senders.ts";
export {
  addUpload,
  expungeMarked,
  expungeMessages,
  expungeOldest,
  moveMessages,
  removeUnknownObjects,
  restoreFromSpam,
} from "./change.ts";
export {
  changeSelected,
  MAX_SELECTED,
  type SelectedChange,
  type SelectedResult,
  type Selection,
} from "./change-selected.ts";
export {
  flagsSet,
  foldersChanged,
  labelsSet,
  messageAdded,
  messagesCopied,
  messagesExpunged,
  messagesMoved,
  summarize as summarizeChanges,
} from "./changes.ts";
export {
  type ConversationItem,
  type ConversationRange,
  type ListPlace,
  listConversations,
} from "./conversations.ts";
export { copyMessages } from "./copy.ts";
export { claimDraft, type DraftClaim, findClaims } from "./draft-claims.ts";
export { nextExpiry, runExpiry } from "./expiry.ts";
export { fetchMessages, type WantedColumns } from "./fetch.ts";
export {
  type Filter,
  type FilterAction,
  type FilterForward,
  type FilterMaker,
  type FilterOutcome,
  filterLimits,
  textFields,
} from "./filter-rules.ts";
export { continueFilterRun, type FilterRun, readFilterRun, startFilterRun } from "./filter-run.ts";
export {
  createFilter,
  deleteFilter,
  type FilterActionIn,
  type FilterChanges,
  type FilterIn,
  type FilterResult,
  findFilter,
  listFilters,
  type MakerlessFilter,
  makerlessFilters,
  shiftFilter,
  updateFilter,
} from "./filters.ts";
export { changeFlags, setFlags } from "./flags.ts";
export { forgetExpunged, readChanges, readFolder } from "./folder-state.ts";
export {
  createFolder,
  deleteFolder,
  type FolderResult,
  listFolderStates,
  listFolders,
  renameFolder,
  subscribe,
} from "./folders.ts";
export { endImport, findImport, listImports, startImport } from "./imports.ts";
export { changeLabels, deleteLabel, type LabelChange, type LabelResult, listLabels, saveLabel } from "./labels.ts";
export { migrate } from "./migrations.ts";
export { toNewMessage, toPreview } from "./new-message.ts";
export { type Conversation, openConversation } from "./open-conversation.ts";
export { checkAccess, type MailboxStore, mailboxStore, openEventSocket } from "./port.ts";
export { MessageTooLargeError, putMessage } from "./put-message.ts";
export { listSections, readQuota } from "./quota.ts";
export {
  findByMessageId,
  findMessage,
  listAddresses,
  listLabelled,
  listMessages,
  listThread,
  type Range,
  searchMessages,
} from "./read.ts";
export { replaceDraft } from "./replace-draft.ts";
export { folderName, limits as mailboxLimits, nameIssue } from "./rules.ts";
export { saveUsedBytes } from "./save-used-bytes.ts";
export { searchByKey } from "./search-by-key.ts";
export { readSignature, saveSignature } from "./signature.ts";
export type * from "./state-types.ts";
export { forgetGuesses } from "./structures.ts";
export type * from "./types.ts";
