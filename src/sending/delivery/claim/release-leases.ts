import { firstIdAt } from "../../../platform/audit/rules.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { UNLEASED } from "../../../platform/outbox/lease.ts";

// Sets claims to at most two: the next claim still sees that a run was interrupted, and restarts alone never reach MAX_CLAIMS.
const RELEASE = `UPDATE outbox SET due_at = min(due_at, ?1), ${UNLEASED}, claims = min(claims, 2) WHERE token < ?2`;

/**
 * Ends the leases taken before `startedAt` (milliseconds since 1970), so that the next sweep finds their rows. Call it
 * only where neither a run nor an egress from before that time can be alive, as after a restart of `npm start`; elsewhere leases
 * expire. The token of a lease tells when it was taken.
 */
export async function releaseLeases(ctx: MailCtx, startedAt: number): Promise<void> {
  await ctx.mail.execute(RELEASE, ctx.now(), firstIdAt(startedAt));
}
