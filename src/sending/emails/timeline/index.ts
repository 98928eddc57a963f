export type { EventEntry, RecipientEntry } from "../../../platform/db/email-json.ts";
export { applyFacts, type EmailUpdate } from "./apply-facts.ts";
export { changeStatement } from "./changes.ts";
export { resultCounts } from "./count-broadcasts.ts";
export { findEmail } from "./find-email.ts";
export type { Fact, Outcome } from "./merge.ts";
export type { Hit } from "./merge-hits.ts";
export { RECIPIENT_COLUMNS, ROLLUP_COLUMNS, TOTAL_SUMS_SQL } from "./rollup-columns.ts";
export { MAX_DOMAINS, OTHER_DOMAINS } from "./rollups.ts";
export {
  EMAIL_STATE_COLUMNS,
  type EmailState,
  type EmailStateRow,
  ERASED,
  isHeldSql,
  RECIPIENT_KEY_SQL,
  recipientKey,
  storedKey,
  toState,
} from "./state.ts";
export { appendEventSql, queuedAt, queuedEvent, readEvents, shortenEvents, toStoredEvents } from "./stored-events.ts";
