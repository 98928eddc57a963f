export { applyFacts, type EmailUpdate } from "./apply-facts.ts";
export { changeStatement } from "./changes.ts";
export { findEmail } from "./find-email.ts";
export type { Fact, Outcome } from "./merge.ts";
export type { Hit } from "./merge-hits.ts";
export { ROLLUP_COLUMNS } from "./rollups.ts";
export {
  EMAIL_STATE_COLUMNS,
  type EmailState,
  type EmailStateRow,
  type EventEntry,
  RECIPIENT_KEY_SQL,
  type RecipientEntry,
  recipientKey,
  storedKey,
  toState,
} from "./state.ts";
export { queuedEvent, readEvents, type StoredEvent } from "./stored-events.ts";
export { syncDueAtStatement } from "./sync-due-at.ts";
