import type { Envelope } from "../../mail/smtp/transport.ts";
import type { MailCtx } from "../../platform/context.ts";
import type { RecipientEntry } from "../emails/index.ts";
import type { ClaimedMail } from "./claim.ts";
import { returnPathOf } from "./return-path.ts";

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
