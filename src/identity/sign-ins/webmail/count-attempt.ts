import { parseAddress } from "../../../lib/addresses.ts";
import type { Ctx } from "../../../platform/context.ts";
import { countFailure, type FailureLimits, retryLater } from "../../../platform/rate-limits/exact.ts";
import { failureLimits } from "../rules.ts";

/** Returns the limits of wrong passwords of a mailbox from an ip, wherever the password is given. */
export const mailboxPasswordLimits = (email: string, ip: string | null): FailureLimits =>
  failureLimits(`webmail ${parseAddress(email)?.key ?? "invalid"}`, ip);

/**
 * Counts an attempt to use the password of a mailbox as a failure, and returns the function that removes it from the count when it
 * succeeded. Throws 429 beyond the limits of wrong passwords (docs/contract/limits.md#rate-limits).
 */
export async function countAttempt(ctx: Ctx, email: string, ip: string | null): Promise<() => Promise<void>> {
  const { exceeded, succeeded } = await countFailure(ctx, mailboxPasswordLimits(email, ip));
  if (exceeded) throw retryLater("Too many wrong passwords", exceeded);
  return succeeded;
}
