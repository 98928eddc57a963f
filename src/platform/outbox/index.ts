export { claimOrFindHeld, claimRows } from "./claim-rows.ts";
export { recordDeadLetters } from "./dead-letters.ts";
export { lastingWake } from "./gather-wake-ups.ts";
export {
  type ClaimedRow,
  claimStatement,
  findLeaseEnd,
  finishStatement,
  heldRowsStatement,
  type Lease,
  newLease,
  type RescheduledRow,
  releaseStatement,
  renewStatement,
  rescheduleStatement,
  shrinkStatement,
} from "./lease.ts";
export { type Purge, purgeMailboxesStatement, purgeStatement } from "./purge-statement.ts";
export {
  CLAIM_EMAILS,
  CLAIM_ROWS,
  LEASE_MS,
  LOW_PRIORITY_RUNS,
  MAX_CLAIMS,
  mayStart,
  ROW_EMAILS,
  SPLIT_AT_CLAIM,
  shouldRenew,
} from "./rules.ts";
export { newSentCopy, type SentCopy } from "./sent-copy.ts";
export { sweep } from "./sweep.ts";
export type { OutboxKind, OutboxMessage, WakeUp } from "./wake.ts";
export { wakeAfterResponse } from "./wake-after-response.ts";
export { withdrawnOffersStatement } from "./withdrawn-offers-statement.ts";
