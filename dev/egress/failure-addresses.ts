import { type AddressReply, mailboxReplies } from "../internet/index.ts";

/** A recipient address that makes the local egress reject the delivery in one way. */
export interface FailureAddress {
  /** The local part, at any domain, with or without a label (`bounce+1@`). */
  localPart: string;
  /** The SMTP command that is rejected. */
  command: "RCPT" | "DATA";
  reply: string;
  text: string;
  /** Text for the page: the effect on the email. */
  outcome: string;
}

/** The failure addresses, for example `bounce@example.org`. */
export const FAILURE_ADDRESSES: readonly FailureAddress[] = [
  {
    localPart: "bounce",
    command: "RCPT",
    reply: "550 5.1.1",
    text: "No such mailbox here",
    outcome: "The recipient is rejected; the email is bounced.",
  },
  {
    localPart: "full",
    command: "RCPT",
    reply: "552 5.2.2",
    text: "The mailbox is full",
    outcome: "The recipient is rejected; the email is bounced.",
  },
  {
    localPart: "defer",
    command: "RCPT",
    reply: "451 4.2.0",
    text: "The mailbox cannot take mail now, try again later",
    outcome: "The delivery is deferred; the email stays queued and is retried.",
  },
  {
    localPart: "reject",
    command: "DATA",
    reply: "554 5.7.1",
    text: "The message is refused by policy",
    outcome: "The message is rejected; the email is rejected.",
  },
];

/** The replies of the local internet to these addresses, beside its own. */
export const failureReplies: Readonly<Record<string, AddressReply>> = {
  ...mailboxReplies,
  ...Object.fromEntries(
    FAILURE_ADDRESSES.map(({ localPart, command, reply, text }): [string, AddressReply] => [
      localPart,
      { phase: command === "RCPT" ? "rcpt" : "final-dot", reply: `${reply} ${text}` },
    ]),
  ),
};
