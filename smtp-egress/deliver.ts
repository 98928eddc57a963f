import type { OutgoingMessage, RecipientResult as SmtpResult } from "../src/mail/smtp/client.ts";
import type { HeldEmail } from "./hold.ts";
import type { Destination, Session } from "./sessions.ts";

/** An email on its way to the recipients of one domain, in one transaction. */
export interface Delivery {
  readonly email: HeldEmail;
  readonly recipients: readonly string[];
  destination: Destination;
  /** When its place in the line is due, in ms since 1970. */
  readonly dueAt: number;
  /** The final dot was sent, or is about to be. */
  hasFinalDot: boolean;
}

/** Returns whether all recipients have results: then nothing of the delivery may go on. */
export function isOver({ email, recipients }: Delivery): boolean {
  return recipients.every((address) => email.results.get(address) !== null);
}

/** Decides about a delivery while it runs. */
export interface Guard {
  /** Waits for what a delivery needs before its connection. Returns false when it must not begin, after it has ended it. */
  mayBegin(delivery: Delivery): Promise<boolean>;
  /** The same before its final dot. */
  maySendFinalDot(delivery: Delivery): Promise<boolean>;
}

/** Sends a delivery over a session and returns the results in the order of its recipients. Never throws. */
export async function sendOver(session: Session, delivery: Delivery, guard: Guard): Promise<readonly SmtpResult[]> {
  const envelope = {
    mailFrom: delivery.email.from,
    recipients: delivery.recipients.map((address) => ({ address })),
  };
  const { recipients } = await session.connection.send(envelope, messageOf(delivery, guard));
  return recipients;
}

/** Returns the message, which ends before the final dot with an error when the guard says so. */
function messageOf(delivery: Delivery, guard: Guard): OutgoingMessage {
  const { size, needsSmtpUtf8, needs8BitMime } = delivery.email;
  return {
    size,
    needsSmtpUtf8,
    needs8BitMime,
    async *chunks() {
      yield* delivery.email.content;
      // The final dot follows in the same tick.
      if (!(await guard.maySendFinalDot(delivery))) throw new Error("the delivery must not go on");
      delivery.hasFinalDot = true;
    },
  };
}
