import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";

// Claims stay at two at most: the next claim still sees that an earlier run was cut off, and restarts alone
// never add up to a mail being given up.
const RELEASE = "UPDATE outbox SET due_at = ?1, token = NULL, claims = min(claims, 2) WHERE token IS NOT NULL";

/**
 * Ends every lease, so that a sweep finds the work. Only where a start of the service means that no other run is
 * alive, as on one machine under `npm start`; elsewhere leases end by themselves.
 */
export async function releaseLeases(ctx: Ctx): Promise<void> {
  await mailDb(ctx).prepare(RELEASE).bind(ctx.now()).run();
}
