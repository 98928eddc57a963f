export {
  type ContentDocument,
  ContentRanges,
  contentPlace,
  type MovedContent,
  offloadContent,
  packContents,
  rewindContentProgressStatement,
  setContentKeyStatement,
} from "./content/index.ts";
export { isSuppressing, type RecipientFact, type Suppression, type SuppressionReason, transitionOf } from "./rules.ts";
export { indexEmails } from "./search/index.ts";
export type { Fact, Hit, Outcome } from "./timeline/index.ts";
export {
  applyFacts,
  EMAIL_STATE_COLUMNS,
  type EmailState,
  type EmailStateRow,
  type EmailUpdate,
  findEmail,
  RECIPIENT_KEY_SQL,
  type RecipientEntry,
  recipientKey,
  syncDueAtStatement,
  toState,
} from "./timeline/index.ts";
