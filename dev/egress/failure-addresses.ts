/** One way a delivery can fail, and the address that makes it fail so. */
export interface FailureAddress {
  /** The local part, at any domain; `bounce+anything@` works too. */
  localPart: string;
  /** Where in the conversation the refusal comes. */
  at: "RCPT" | "DATA";
  reply: string;
  text: string;
  /** For the page: what becomes of the email. */
  outcome: string;
}

/** Addresses for trying failures: send to `bounce@example.org` and see what the service makes of it. */
export const FAILURE_ADDRESSES: readonly FailureAddress[] = [
  {
    localPart: "bounce",
    at: "RCPT",
    reply: "550 5.1.1",
    text: "No such mailbox here",
    outcome: "The recipient is refused: the email bounces.",
  },
  {
    localPart: "full",
    at: "RCPT",
    reply: "552 5.2.2",
    text: "The mailbox is full",
    outcome: "The recipient is refused: the email bounces.",
  },
  {
    localPart: "defer",
    at: "RCPT",
    reply: "451 4.2.0",
    text: "The mailbox cannot take mail now, try again later",
    outcome: "The email stays queued and is tried again.",
  },
  {
    localPart: "reject",
    at: "DATA",
    reply: "554 5.7.1",
    text: "The message is refused by policy",
    outcome: "The message itself is refused: the email is rejected.",
  },
];

/** The failure that an address asks for at this point of the conversation, if any. */
export function findFailureAddress(address: string, at: FailureAddress["at"]): FailureAddress | undefined {
  const localPart = address.slice(0, address.lastIndexOf("@")).split("+")[0]?.toLowerCase();
  return FAILURE_ADDRESSES.find((tryout) => tryout.at === at && tryout.localPart === localPart);
}

/** The error that makes smtp-server answer so. */
export function refusal(tryout: FailureAddress): Error {
  // A code with its enhanced code is no number, so smtp-server does not put an enhanced code of its own in between.
  return Object.assign(new Error(tryout.text), { responseCode: tryout.reply });
}
