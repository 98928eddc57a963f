export { type ContentDocument, contentPlace, findContent } from "./content.ts";
export { findState } from "./find-state.ts";
export type { Fact } from "./merge.ts";
export type { Hit } from "./merge-hits.ts";
export { type Report, recordFacts } from "./record.ts";
export { MAX_ATTEMPTS, moveRecipient, type RecipientFact, waitAfter } from "./rules.ts";
export { indexEmails } from "./search/index-emails.ts";
export {
  EMAIL_STATE_COLUMNS,
  type EmailState,
  type EmailStateRow,
  type RecipientEntry,
  recipientKey,
  toState,
} from "./state.ts";
