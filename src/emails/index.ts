export {
  AttachmentDeletedError,
  type ContentDocument,
  ContentRanges,
  contentPlace,
  MIN_PACKED_EMAILS,
  type MovedContent,
  offloadContent,
  offloadSteps,
  packContents,
  RenderedTooLongError,
  rewindContentProgressStatement,
  setContentKeyStatement,
  toAttachmentSource,
  UNSUBSCRIBE_URL,
} from "./content/index.ts";
export { messageIdOf } from "./message-id.ts";
export {
  isSuppressing,
  type RecipientFact,
  type Suppression,
  type SuppressionReason,
  storedStatuses,
  transitionOf,
} from "./rules.ts";
export { cancelScheduledOfDomains, findScheduledEmails } from "./scheduled/of-domains.ts";
export { AcceptOut } from "./schema.ts";
export { hasNewEmailsStatement, indexEmails } from "./search/index.ts";
export { insertEmailStatements, type NewEmail, requireSendingAllowed } from "./send/index.ts";
export type { Fact, Hit, Outcome } from "./timeline/index.ts";
export {
  applyFacts,
  changeStatement,
  EMAIL_STATE_COLUMNS,
  type EmailState,
  type EmailStateRow,
  type EmailUpdate,
  findEmail,
  queuedEvent,
  RECIPIENT_KEY_SQL,
  type RecipientEntry,
  ROLLUP_COLUMNS,
  recipientKey,
  storedKey,
  syncDueAtStatement,
  toState,
} from "./timeline/index.ts";
