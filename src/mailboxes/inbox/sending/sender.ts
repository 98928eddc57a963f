import { addressKey } from "../../../lib/addresses.ts";
import { invalidField } from "../../../lib/errors.ts";
import type { StoredMessage } from "../../mailbox-store/index.ts";
import type { OpenMailbox } from "../open.ts";

type Addresses = Pick<OpenMailbox, "address" | "aliases">;

/** Returns the sender of a message: the address that was asked for, or that of the mailbox. Throws 422 for any other address. */
export function senderOf({ address, aliases }: Addresses, asked: string | null | undefined): string {
  if (!asked) return address;
  const key = addressKey(asked.trim());
  if (key !== address && !aliases.includes(key))
    throw invalidField("from", "from must be the address of the mailbox or one of its aliases");
  return key;
}

/**
 * Returns the address from which a message is answered: the one that it was sent to, by its envelope, else by To and Cc, else that of the
 * mailbox. That of an own message is its sender.
 */
export function replySender(
  { address, aliases }: Addresses,
  { deliveredTo, from, to, cc }: Pick<StoredMessage, "deliveredTo" | "from" | "to" | "cc">,
): string {
  const named = [from, ...(deliveredTo === null ? [] : [{ email: deliveredTo }]), ...to, ...cc];
  const keys = named.map((person) => addressKey(person?.email ?? "").replace(/\+[^@]*(?=@)/, ""));
  return keys.find((key) => key === address || aliases.includes(key)) ?? address;
}
