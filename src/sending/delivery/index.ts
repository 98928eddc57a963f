export { releaseLeases } from "./claim/index.ts";
export {
  type Egress,
  egressNamed,
  egressNames,
  egressOf,
  findEgressIssues,
  type UnusableEgress,
} from "./egresses/index.ts";
export { DeliveryRun } from "./hand-over/index.ts";
export { composeSource } from "./prepare/index.ts";
export {
  type Attempt,
  countAttempts,
  DEFERRAL_REASONS,
  flushOutbox,
  isSettled,
  isTooLate,
  lastAnnounced,
  noteOutcomes,
  retryAfterOutageStatement,
  runRetriesAfterOutage,
  scheduleRetryAfterOutage,
  toOutcome,
  waitedTooLong,
  waitsForReceiver,
} from "./record/index.ts";
export { newRunLimits, PAUSE_WAIT_MS, type RunLimits, waitAfter } from "./rules.ts";
export { deliver, deliverRows } from "./run.ts";
export { runLowPriority } from "./run-low-priority.ts";
