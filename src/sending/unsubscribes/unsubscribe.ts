import { utf8 } from "../../lib/bytes.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { type MailReference, readUnsubscribeAddress } from "../../platform/mail-tokens/index.ts";
import { applyFacts, findEmail, recipientKey } from "../emails/index.ts";
import { copyToContacts, suppressStatement } from "../suppressions/index.ts";

/**
 * Suppresses the recipient that an unsubscribe token names for bulk and broadcast mail, and records one event however often it
 * is called (RFC 8058, docs/contract/suppressions.md#unsubscribe). `token` is the mailto address or its local part; `method` is
 * recorded in the event. Returns false for an invalid token, or when the email no longer exists.
 */
export async function unsubscribe(ctx: Ctx, token: string, method: "one-click" | "mailto"): Promise<boolean> {
  const mail = await readUnsubscribeAddress(ctx.settings.masterKeys, token);
  if (!mail || mail.recipient === "all") return false;
  const found = await findEmail(ctx, mail);
  const recipient = found?.state.recipients[mail.recipient];
  if (!found || !recipient) return false;
  const { state } = found;
  const key = recipientKey(recipient);
  const fact = {
    id: await idOf(mail),
    recipient: key,
    on: "unsubscribe" as const,
    at: ctx.now(),
    metadata: { method },
  };
  // The address may have been removed from the list since the event was recorded.
  await suppressStatement(ctx, [
    { workspace: state.workspace, email: key, reason: "unsubscribe", emailId: null },
  ]).run();
  await copyToContacts(found.ctx, state.workspace, [key]);
  await applyFacts(found.ctx, [{ state, facts: [fact], attempt: 0 }]);
  return true;
}

const idOf = ({ emailId, recipient }: MailReference) => uuidFromHash(utf8(`unsubscribe ${emailId} ${recipient}`));
