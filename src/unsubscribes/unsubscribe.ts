import type { Ctx } from "../context.ts";
import { applyFacts, findState, recipientKey } from "../emails/index.ts";
import { utf8 } from "../lib/bytes.ts";
import { uuidOf } from "../lib/ids.ts";
import { type MailReference, readUnsubscribeAddress } from "../mail-tokens/index.ts";
import { suppressStatement } from "../suppressions/index.ts";

/**
 * Puts the recipient that an unsubscribe token stands for on the workspace's list, for bulk and broadcast mail, and
 * writes the event once however often it is asked for (RFC 8058, decisions 4). `token` is the local part of the
 * mailto address, or that address; `method` how it came. False: no token of ours, or of a mail that is gone.
 */
export async function unsubscribe(ctx: Ctx, token: string, method: "one-click" | "mailto"): Promise<boolean> {
  const mail = await readUnsubscribeAddress(ctx.settings.masterKeys, token);
  if (!mail || mail.recipient === "all") return false;
  const state = await findState(ctx, mail);
  const recipient = state?.recipients[mail.recipient];
  if (!state || !recipient) return false;
  const key = recipientKey(recipient);
  const fact = {
    id: await idOf(mail),
    recipient: key,
    on: "unsubscribe" as const,
    at: ctx.now(),
    metadata: { method },
  };
  // Also when the event is there already: the address may have been taken off the list since.
  const suppress = suppressStatement(ctx, [{ workspace: state.workspace, email: key, reason: "unsubscribe" }]);
  await applyFacts(ctx, [{ state, facts: [fact], attempt: 0 }], () => ({ before: [], after: [suppress] }));
  return true;
}

const idOf = ({ emailId, recipient }: MailReference) => uuidOf(utf8(`unsubscribe ${emailId} ${recipient}`));
