import type { AddressReply } from "../behaviour.ts";

/** Replies to recipients by their local part, at any domain, with or without a label (`unknown+1@`). */
export const mailboxReplies: Readonly<Record<string, AddressReply>> = {
  unknown: { phase: "rcpt", reply: "550 5.1.1 The address does not exist here" },
  full: { phase: "rcpt", reply: "452 4.2.2 The mailbox is full, try again later" },
};

/** Returns the reply that a recipient causes by its local part, or undefined. Pure. */
export function replyOfMailbox(
  address: string,
  replies: Readonly<Record<string, AddressReply>> = mailboxReplies,
): AddressReply | undefined {
  const [local = ""] = address.slice(0, address.lastIndexOf("@")).toLowerCase().split("+");
  return Object.hasOwn(replies, local) ? replies[local] : undefined;
}
