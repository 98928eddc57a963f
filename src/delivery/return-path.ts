import type { Ctx } from "../context.ts";
import { RETURN_PATH_LABEL } from "../domains/index.ts";
import type { RecipientEntry } from "../emails/index.ts";
import { newReturnPath } from "../mail-tokens/index.ts";
import type { ClaimedMail } from "./claim.ts";

/** RFC 5321 4.5.3.1.3: a path has 256 octets with its brackets, of which the signed local part takes up to 64. */
const MAX_DOMAIN = 254 - 64 - 1;

/**
 * MAIL FROM of a transaction with these recipients: an address that says which mail comes back, signed so that nobody
 * else can say it (decisions 9). Below the sender's own domain where its DNS points there, so that SPF passes for it.
 */
export function returnPathOf(ctx: Ctx, mail: ClaimedMail, recipients: readonly RecipientEntry[]): Promise<string> {
  const { workspace, id: emailId } = mail.state;
  const [only] = recipients;
  const recipient = only && recipients.length === 1 ? mail.state.recipients.indexOf(only) : "all";
  const { domain, hasReturnPath } = mail.sender;
  const own = domain !== null && hasReturnPath ? `${RETURN_PATH_LABEL}.${domain}` : null;
  const bounceDomain = own !== null && own.length <= MAX_DOMAIN ? own : ctx.settings.bounceDomain;
  return newReturnPath(ctx.settings.masterKeys, { workspace, emailId, recipient }, bounceDomain);
}
