import type { CallerCtx } from "../../access/caller.ts";
import { listMailboxes, type MailboxRow } from "../../mailboxes/mailboxes/index.ts";

/** Most mailboxes that a choice of senders is made from. */
const MAX_MAILBOXES = 200;

/** Returns the active mailboxes that can send, by address: no catch-all, which only receives (docs/contract/emails.md#sender-rule). */
export async function listSenders(caller: CallerCtx): Promise<MailboxRow[]> {
  const mailboxes = await listMailboxes(caller, { offset: 0, limit: MAX_MAILBOXES });
  return mailboxes.filter(({ isActive, localPart }) => isActive && localPart !== "*");
}
