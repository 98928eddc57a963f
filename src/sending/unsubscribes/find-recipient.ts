import type { Ctx } from "../../platform/context.ts";
import type { MailReference } from "../../platform/mail-tokens/codec.ts";
import { readUnsubscribeAddress } from "../../platform/mail-tokens/return-path.ts";
import { ERASED, findEmail, recipientKey } from "../emails/index.ts";

/**
 * Finds the recipient whom an unsubscribe token names: the mailto address or its local part. Returns null for an invalid token, or when
 * the email no longer exists or the person was erased.
 */
export async function findRecipient(ctx: Ctx, token: string) {
  const mail = await readUnsubscribeAddress(ctx.settings.masterKeys, token);
  if (!mail || mail.recipient === "all") return null;
  const found = await findEmail(ctx, mail);
  const recipient = found?.state.recipients[mail.recipient];
  return found && recipient && recipient.email !== ERASED
    ? { ...found, mail, key: recipientKey(recipient), address: recipient.email }
    : null;
}

/** The recipient of an email who used its unsubscribe link, and the context with its mail database. */
export type FoundRecipient = NonNullable<Awaited<ReturnType<typeof findRecipient>>> & { mail: MailReference };
