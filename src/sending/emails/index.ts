export type { BatchItem } from "./batch/check-items.ts";
export type { BatchOut } from "./batch/schema.ts";
export { sendBatch } from "./batch/send.ts";
export {
  AttachmentDeletedError,
  batchUpload,
  blankExcept,
  blankUnset,
  type ContentDocument,
  ContentRanges,
  ContentUpload,
  contentPlace,
  MIN_PACKED_EMAILS,
  type MovedContent,
  offloadSteps,
  packContents,
  rawBodyOf,
  readContent,
  SUBJECT_ISSUE,
  setContentKeyStatement,
  toAttachmentSource,
  UNSUBSCRIBE_URL,
  UnrenderableError,
} from "./content/index.ts";
export { type ErasedPerson, eraseEmails, Scrubber } from "./erasure/index.ts";
export { findFailureReasons, findNewestFailureReasons, lastReason } from "./failure-reasons.ts";
export { getEmailDetail, readDetail } from "./get.ts";
export { mayOpen, mayReadContent } from "./may-read-content.ts";
export { messageIdOf } from "./message-id.ts";
export { type DetailRow, getEmail } from "./queries.ts";
export { retryEmail } from "./retry/retry.ts";
export {
  isBulkSource,
  isPending,
  isSuppressing,
  limits as emailLimits,
  type Status,
  statuses,
  storedStatuses,
  transitionOf,
} from "./rules.ts";
export { cancelEmail } from "./scheduled/cancel.ts";
export { pageOfScheduled, SCHEDULED_CURSOR } from "./scheduled/list.ts";
export { cancelScheduledOfDomains, findScheduledEmails } from "./scheduled/of-domains.ts";
export { reschedule } from "./scheduled/reschedule.ts";
export type { ScheduledOut } from "./scheduled/schema.ts";
export { sendNow } from "./scheduled/send-now.ts";
export { stopScheduled } from "./scheduled/stop.ts";
export { AcceptOut, type DetailOut, EventOut, SendIn, type ValidateOut } from "./schema.ts";
export {
  type EmailOfRecipient,
  findEmailsTo,
  getSavedSearches,
  HAS_NEW_EMAILS_SQL,
  indexEmails,
  putSavedSearches,
  reindexEmails,
  SavedSearchesIn,
  type SavedSearchesOut,
  type SearchOut,
  searchEmails,
} from "./search/index.ts";
export {
  applySenderRule,
  commitEmails,
  commitStatements,
  findSenderOf,
  type NewEmail,
  requireSendingAllowed,
  type SenderError,
  type SenderMailbox,
  sendEmail,
  toCommit,
  validateEmail,
} from "./send/index.ts";
export { hasComplaint, toEvent } from "./serialize.ts";
export type { Fact, Hit, Outcome } from "./timeline/index.ts";
export {
  appendEventSql,
  applyFacts,
  EMAIL_STATE_COLUMNS,
  type EmailState,
  type EmailStateRow,
  type EmailUpdate,
  ERASED,
  findEmail,
  isHeldSql,
  MAX_DOMAINS,
  OTHER_DOMAINS,
  queuedAt,
  queuedEvent,
  RECIPIENT_COLUMNS,
  type RecipientEntry,
  ROLLUP_COLUMNS,
  readEvents,
  recipientKey,
  resultCounts,
  storedKey,
  TOTAL_SUMS_SQL,
  toState,
} from "./timeline/index.ts";
