export { addStructures } from "./add-structures.ts";
export { MAX_SELECTED, type SelectedChange, type SelectedResult, type Selection } from "./change-selected.ts";
export { summarize as summarizeChanges } from "./changes.ts";
export type { ConversationItem, ListPlace, ShownThreads } from "./conversations.ts";
export type { DraftClaim } from "./draft-claims.ts";
export { nextExpiry, runExpiry } from "./expiry.ts";
export {
  type Filter,
  type FilterAction,
  type FilterForward,
  type FilterMaker,
  type FilterOutcome,
  filterLimits,
  textFields,
} from "./filter-rules.ts";
export { continueFilterRun, type FilterRun } from "./filter-run.ts";
export type { FilterActionIn, FilterResult } from "./filters.ts";
export type { FolderResult } from "./folders.ts";
export type { LabelResult } from "./labels.ts";
export { migrate } from "./migrations.ts";
export { toNewMessage } from "./new-message.ts";
export type { Conversation } from "./open-conversation.ts";
export type { Operation } from "./operation.ts";
export { type MailboxOperations, type MailboxReads, operations } from "./operations.ts";
export { checkAccess, type MailboxStore, mailboxStore, openEventSocket } from "./port.ts";
export { MessageTooLargeError, putMessage } from "./put-message.ts";
export { folderName, limits as mailboxLimits, nameIssue, withoutForbidden } from "./rules.ts";
export { saveUsedBytes } from "./save-used-bytes.ts";
export type { SavedReply, SavedReplyResult } from "./saved-replies.ts";
export type * from "./state-types.ts";
export type { Author, ThreadChange, ThreadEntry, ThreadState } from "./thread-states.ts";
export type { Writer } from "./thread-writers.ts";
export type * from "./types.ts";
