import type { MailCtx } from "../../platform/context.ts";
import { LEASE_MS } from "./rules.ts";

const RELEASE =
  "UPDATE webhook_endpoints SET token = NULL, due_at = ?1 WHERE due_at > ?1 AND due_at < ?2 AND token IS NOT NULL";

/**
 * Ends the leases on endpoints that were taken before `startedAt` (milliseconds since 1970). Call it only where no run from
 * before that time can be alive, as after a restart of `npm start`; elsewhere leases expire.
 */
export async function releaseEndpointLeases(ctx: MailCtx, startedAt: number): Promise<void> {
  await ctx.mail.execute(RELEASE, ctx.now(), startedAt + LEASE_MS);
}
