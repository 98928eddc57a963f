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

/** Returns the failure address that matches `address` for this SMTP command, or undefined. */
export function findFailureAddress(address: string, command: FailureAddress["command"]): FailureAddress | undefined {
  const localPart = address.slice(0, address.lastIndexOf("@")).split("+")[0]?.toLowerCase();
  return FAILURE_ADDRESSES.find((failure) => failure.command === command && failure.localPart === localPart);
}

/** Returns the error that makes smtp-server send this reply. */
export function toSmtpError(failure: FailureAddress): Error {
  // The code is text ("550 5.1.1"): for a number, smtp-server would insert its own enhanced status code.
  return Object.assign(new Error(failure.text), { responseCode: failure.reply });
}
