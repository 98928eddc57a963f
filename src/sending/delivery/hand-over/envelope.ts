import { RETURN_PATH_LABEL } from "../../../domains/domains/index.ts";
import type { Envelope } from "../../../mail/smtp/transport.ts";
import type { Ctx, MailCtx } from "../../../platform/context.ts";
import { newReturnPath } from "../../../platform/mail-tokens/return-path.ts";
import type { RecipientEntry } from "../../emails/index.ts";
import type { ClaimedMail } from "../claim/index.ts";

/**
 * Returns the SMTP envelope of a transaction with these recipients of an email. With a ticket an egress holds the email; with `dsn`
 * it asks for DSNs of success and failure (RFC 3461).
 */
export async function envelopeOf(
  ctx: MailCtx,
  mail: ClaimedMail,
  of: readonly RecipientEntry[],
  { dsn, ticket }: { dsn: boolean; ticket: string | null },
): Promise<Envelope> {
  const mailFrom = await returnPathOf(ctx, mail, of);
  if (ticket !== null) return { mailFrom, recipients: of.map(({ email }) => ({ address: email })), envelopeId: ticket };
  if (!dsn) return { mailFrom, recipients: of.map(({ email }) => ({ address: email })) };
  const recipients = of.map(({ email }) => ({
    address: email,
    originalRecipient: email,
    notify: ["SUCCESS", "FAILURE"] as const,
  }));
  return { mailFrom, recipients, envelopeId: mail.state.id, return: "HDRS" };
}

/** RFC 5321 4.5.3.1.3: a path has at most 256 octets with its brackets; the signed local part takes up to 64. */
const MAX_DOMAIN = 254 - 64 - 1;

/**
 * Returns the MAIL FROM address of a transaction with these recipients. It names the email and carries a MAC, so that a forged
 * bounce is refused (docs/contract/delivery.md#return-path). It is below the sender's domain where that is verified in DNS, so
 * that SPF passes for that domain.
 */
function returnPathOf(ctx: Ctx, mail: ClaimedMail, recipients: readonly RecipientEntry[]): Promise<string> {
  const { workspace, id: emailId } = mail.state;
  const [only] = recipients;
  const recipient = only && recipients.length === 1 ? mail.state.recipients.indexOf(only) : "all";
  const { domain, hasReturnPath } = mail.sender;
  const own = domain !== null && hasReturnPath ? `${RETURN_PATH_LABEL}.${domain}` : null;
  const bounceDomain = own !== null && own.length <= MAX_DOMAIN ? own : ctx.settings.bounceDomain;
  return newReturnPath(ctx.settings.masterKeys, { workspace, emailId, recipient }, bounceDomain);
}
