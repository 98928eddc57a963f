import { EGRESS_LEASE_MS } from "../../mail/egress-tickets/ticket.ts";
import { firstIdAt } from "../../platform/audit/rules.ts";
import type { MailCtx } from "../../platform/context.ts";
import { LEASE_MS } from "../../platform/outbox/rules.ts";
import { syncDueAtStatement } from "../emails/index.ts";

// Sets claims to at most two: the next claim still sees that a run was interrupted, and restarts alone never reach
// MAX_CLAIMS.
const RELEASE = `
  UPDATE outbox SET due_at = ?1, token = NULL, claims = min(claims, 2)
   WHERE due_at < ?2 AND token IS NOT NULL AND (due_at < ?3 OR token < ?4)`;

/**
 * Ends the leases taken before `startedAt` (milliseconds since 1970), so that the next sweep finds their rows. Call it
 * only where neither a run nor an egress from before that time can be alive, as after a restart of `npm start`; elsewhere leases
 * expire. The token of a lease tells when it was taken.
 */
export async function releaseLeases(ctx: MailCtx, startedAt: number): Promise<void> {
  const now = ctx.now();
  const release = ctx.mail
    .prepare(RELEASE)
    .bind(now, startedAt + EGRESS_LEASE_MS, startedAt + LEASE_MS, firstIdAt(startedAt));
  await ctx.mail.batch([release, syncDueAtStatement(ctx, now)]);
}
