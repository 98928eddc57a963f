export { recordDeadLetters } from "./dead-letters.ts";
export {
  type ClaimedRow,
  claimStatement,
  finishStatement,
  followStatement,
  giveBackStatement,
  heldUntil,
  type LaterRow,
  type Lease,
  laterStatement,
  newLease,
  renewStatement,
} from "./lease.ts";
export { releaseLeases } from "./release.ts";
export { CLAIM_ROWS, LEASE_MS, MAX_CLAIMS, mayStart, SPLIT_AT_CLAIM, shouldRenew } from "./rules.ts";
export { sweep } from "./sweep.ts";
