export type { ActiveClaim } from "./active-claim.ts";
export { ActiveClaims } from "./active-claims.ts";
export { type Claim, ClaimError, type ClaimedMail, claimMail } from "./claim.ts";
export { type DkimKeyRow, readSenders, suppressedName, toFacts } from "./read-senders.ts";
export { releaseLeases } from "./release-leases.ts";
export { setAside } from "./set-aside.ts";
