import { signInToMailbox } from "../../../access/mailbox-sessions/sessions.ts";
import { unauthorized } from "../../../lib/errors.ts";
import type { Ctx } from "../../../platform/context.ts";
import { countAttempt } from "./count-attempt.ts";

/**
 * Signs in to a mailbox by its password. Throws 401 with one text for an unknown or inactive mailbox and for a wrong password,
 * 429 beyond the limits of wrong passwords (docs/contract/limits.md#rate-limits).
 */
export async function signInToWebmail(ctx: Ctx, login: Parameters<typeof signInToMailbox>[1]) {
  const succeeded = await countAttempt(ctx, login.email, login.client.ip);
  const tokens = await signInToMailbox(ctx, login);
  if (!tokens) throw unauthorized("The address or the password is wrong");
  await succeeded();
  return tokens;
}
