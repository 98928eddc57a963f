import { RETURN_PATH_LABEL } from "../../domains/domains/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { newReturnPath } from "../../platform/mail-tokens/return-path.ts";
import type { RecipientEntry } from "../emails/index.ts";
import type { ClaimedMail } from "./claim.ts";

/** RFC 5321 4.5.3.1.3: a path has at most 256 octets with its brackets; the signed local part takes up to 64. */
const MAX_DOMAIN = 254 - 64 - 1;

/**
 * Returns the MAIL FROM address of a transaction with these recipients. It names the email and carries a MAC, so that a forged
 * bounce is refused (docs/contract/delivery.md#return-path). It is below the sender's domain where that is verified in DNS, so
 * that SPF passes for that domain.
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
