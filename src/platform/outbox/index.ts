export { recordDeadLetters } from "./dead-letters.ts";
export { WakeUpJoiner } from "./join-wake-ups.ts";
export {
  type ClaimedRow,
  claimStatement,
  findLeaseEnd,
  finishStatement,
  type Lease,
  newLease,
  type RescheduledRow,
  releaseStatement,
  renewStatement,
  rescheduleStatement,
} from "./lease.ts";
export { type Purge, purgeMailboxesStatement, purgeStatement } from "./purge-statement.ts";
export {
  BULK_RUNS,
  CLAIM_EMAILS,
  CLAIM_ROWS,
  LEASE_MS,
  MAX_CLAIMS,
  mayStart,
  ROW_EMAILS,
  SPLIT_AT_CLAIM,
  shouldRenew,
} from "./rules.ts";
export { sweep } from "./sweep.ts";
export type { OutboxKind, WakeUp, WorkMessage } from "./wake.ts";
