import type { Ctx } from "../context.ts";
import { RETURN_PATH_LABEL } from "../domains/index.ts";
import type { RecipientEntry } from "../emails/index.ts";
import type { ClaimedMail } from "./claim.ts";
import { newReturnPath } from "./feedback/index.ts";

/**
 * MAIL FROM of a transaction with these recipients: an address that says which mail comes back, signed so that nobody
 * else can say it (decisions 9). Below the sender's own domain where its DNS points there, so that SPF passes for it.
 */
export function returnPathOf(ctx: Ctx, mail: ClaimedMail, recipients: readonly RecipientEntry[]): Promise<string> {
  const { workspace, id: emailId } = mail.state;
  const [only] = recipients;
  const recipient = only && recipients.length === 1 ? mail.state.recipients.indexOf(only) : "all";
  const { domain, hasReturnPath } = mail.sender;
  const bounceDomain = domain !== null && hasReturnPath ? `${RETURN_PATH_LABEL}.${domain}` : ctx.settings.bounceDomain;
  return newReturnPath(ctx.settings.masterKeys, { workspace, emailId, recipient }, bounceDomain);
}
