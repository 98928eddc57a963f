import { type MailboxTokens, signInToMailbox } from "../../../access/mailbox-sessions/index.ts";
import type { Client } from "../../../access/sessions/index.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { tooManyRequests, unauthorized } from "../../../lib/errors.ts";
import type { Ctx } from "../../../platform/context.ts";
import { countFailure, formatPolicy } from "../../../platform/rate-limits/index.ts";
import { failureLimits } from "../rules.ts";

/**
 * Signs in to a mailbox by its password. Throws 401 with one text for an unknown or inactive mailbox and for a wrong password,
 * 429 beyond the limits of wrong passwords (docs/contract/limits.md#rate-limits).
 */
export async function signInToWebmail(
  ctx: Ctx,
  { email, password, client }: { email: string; password: string; client: Client },
): Promise<MailboxTokens> {
  const target = `webmail ${parseAddress(email)?.key ?? "invalid"}`;
  const { exceeded, succeeded } = await countFailure(ctx, failureLimits(target, client.ip));
  if (exceeded) {
    const seconds = exceeded.retryAfterSeconds;
    const text = `Too many wrong passwords; retry in ${seconds} seconds`;
    throw tooManyRequests(text, seconds, formatPolicy(exceeded.policy));
  }
  const tokens = await signInToMailbox(ctx, { email, password, client });
  if (!tokens) throw unauthorized("The address or the password is wrong");
  await succeeded();
  return tokens;
}
