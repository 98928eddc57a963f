export { exportMailbox, importArchive } from "./archives/index.ts";
export { openAutoReply, replaceAutoReply } from "./auto-reply/change.ts";
export { AutoReplyIn, toAutoReply } from "./auto-reply/schema.ts";
export { blockSender, unblockSender } from "./blocked-senders.ts";
export { connectToEvents } from "./events/connect.ts";
export { createFilter, deleteFilter, getFilter, shiftFilter, startFilterRun, updateFilter } from "./filters/change.ts";
export { endForwards } from "./filters/end-forwards.ts";
export { type ForwardingFilter, listForwardingFilters } from "./filters/list-forwarding.ts";
export { findForwarding } from "./filters/queries.ts";
export { FilterFields, type FilterOut, toFilter as toFilterOut } from "./filters/schema.ts";
export { createFolder, deleteFolder, renameFolder } from "./folders/change.ts";
export { FolderIn } from "./folders/schema.ts";
export { createLabel, deleteLabel, LabelIn, updateLabel } from "./labels/index.ts";
export { changeSelected } from "./messages/change-selected.ts";
export {
  type AttachmentFile,
  getConversation,
  getMessage,
  isHtml,
  type MessageContent,
  openAttachment,
  openObject,
  readContent,
} from "./messages/read.ts";
export { problemOf, SelectionIn } from "./messages/schema.ts";
export { authorOf, isShared, type OpenMailbox, openMailbox, openMailboxWith } from "./open.ts";
export { createSavedReply, deleteSavedReply, updateSavedReply } from "./saved-replies/change.ts";
export { SavedReplyIn } from "./saved-replies/schema.ts";
export { createDraft, deleteDraft, replaceDraft } from "./sending/drafts.ts";
export { listFiles, MAX_FILE_BYTES, uploadFile } from "./sending/files.ts";
export { DraftIn, SendIn } from "./sending/schema.ts";
export { sendFromMailbox } from "./sending/send.ts";
export { replySender } from "./sending/sender.ts";
export { replaceSignature, SignatureIn } from "./signature.ts";
export { addNote, changeThread, currentState, deleteNote, type ThreadCare } from "./threads/change.ts";
export { readPlace, shownIn, type ThreadList, threadLists, writePlace } from "./threads/list.ts";
export { NoteIn } from "./threads/schema.ts";
export { wrapText } from "./wrap-text.ts";
export { MAX_WRITTEN_HTML, sanitizeWritten } from "./written-html.ts";
