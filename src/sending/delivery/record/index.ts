export { DEFERRAL_REASONS } from "./deferral-reason.ts";
export { noteOutcomes } from "./note-outcomes.ts";
export {
  type Attempt,
  countAttempts,
  deferOrFail,
  preparationFailed,
  toOutcome,
  waitedTooLong,
  waitsForReceiver,
} from "./outcome.ts";
export { OutcomeWriter } from "./outcome-writer.ts";
export type { DeliveryUpdate } from "./pending-updates.ts";
export {
  flushOutbox,
  retryAfterOutageStatement,
  runRetriesAfterOutage,
  scheduleRetryAfterOutage,
} from "./retry-after-outage.ts";
export { isSettled, lastAnnounced } from "./settled.ts";
export { recipientsToTry, toUnreachableUpdate, toUpdate } from "./to-update.ts";
export { isTooLate, updateOfResults } from "./update-of-results.ts";
