export { DEFERRAL_REASONS } from "./deferral-reason.ts";
export { DeliveryRun } from "./delivery-run.ts";
export { type Egress, egressOf, type UnusableEgress } from "./egress.ts";
export { egressNamed, egressNames, findEgressIssues } from "./egresses.ts";
export { insertNextStatement, type Leaving, leaveStatements, TICKET_ROW } from "./leave-row.ts";
export { noteOutcomes } from "./note-outcomes.ts";
export { type Attempt, countAttempts, toOutcome, waitedTooLong, waitsForReceiver } from "./outcome.ts";
export { releaseLeases } from "./release-leases.ts";
export {
  flushOutbox,
  retryAfterOutageStatement,
  runRetriesAfterOutage,
  scheduleRetryAfterOutage,
} from "./retry-after-outage.ts";
export { newRunLimits, PAUSE_CHECK_MS, type RunLimits, waitAfter } from "./rules.ts";
export { deliver, deliverRows } from "./run.ts";
export { runLowPriority } from "./run-low-priority.ts";
export { isSettled, lastAnnounced } from "./settled.ts";
export { composeSource } from "./source.ts";
export { isTooLate } from "./update-of-results.ts";
