import { parseAddress } from "../../lib/addresses.ts";
import { conflict, invalidField } from "../../lib/errors.ts";
import { mailboxBudgets } from "../../platform/budgets/objects.ts";
import type { OpenMailbox } from "./open.ts";

/** Adds a sender whose mail goes to Spam from now on. Throws 422 for an invalid address, 409 beyond the limit. */
export async function blockSender({ store }: OpenMailbox, email: string): Promise<void> {
  const address = parseAddress(email.trim());
  if (!address) throw invalidField("email", "Not a valid email address");
  if (!(await store.blockSender(address.key)))
    throw conflict(`A mailbox has at most ${mailboxBudgets.blocked_senders.rows} blocked senders`);
}

/** Removes a sender from those whose mail goes to Spam. */
export async function unblockSender({ store }: OpenMailbox, email: string): Promise<void> {
  await store.unblockSender(parseAddress(email)?.key ?? "");
}
