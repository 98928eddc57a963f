import type { Ctx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { syncDueAtStatement } from "../emails/index.ts";
import { LEASE_MS } from "../outbox/index.ts";

// Claims stay at two at most: the next claim still sees that an earlier run was cut off, and restarts alone
// never add up to a mail being given up.
const RELEASE =
  "UPDATE outbox SET due_at = ?1, token = NULL, claims = min(claims, 2) WHERE token IS NOT NULL AND due_at < ?2";

/**
 * Ends the leases that were taken before `startedAt`, so that a sweep finds their work. Only where the start
 * of the service at that moment means that no earlier run is alive, as on one machine under `npm start`;
 * elsewhere leases end by themselves.
 */
export async function releaseLeases(ctx: Ctx, startedAt: number): Promise<void> {
  const now = ctx.now();
  const release = mailDb(ctx)
    .prepare(RELEASE)
    .bind(now, startedAt + LEASE_MS);
  await mailDb(ctx).batch([release, syncDueAtStatement(ctx, now)]);
}
