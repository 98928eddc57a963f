export { addMessage } from "./add.ts";
export { listBlockedSenders, replaceBlockedSenders } from "./blocked-senders.ts";
export {
  addUpload,
  expungeMessages,
  forgetObjects,
  moveMessages,
  nextExpiry,
  type RestoredMessage,
  removeExpired,
  restoreFromSpam,
  setFlags,
} from "./change.ts";
export { createFolder, deleteFolder, type FolderResult, listFolders, renameFolder } from "./folders.ts";
export { changeLabels, deleteLabel, type LabelChange, type LabelResult, listLabels, saveLabel } from "./labels.ts";
export { migrate } from "./migrations.ts";
export { type MailboxStore, mailboxStore } from "./port.ts";
export { listSections, readQuota } from "./quota.ts";
export {
  findByMessageId,
  findMessage,
  listAddresses,
  listMessages,
  listThread,
  type Range,
  searchMessages,
} from "./read.ts";
export { folderName, isSystemFolder, limits as mailboxLimits, nameFault } from "./rules.ts";
export type * from "./types.ts";
