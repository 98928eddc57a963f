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
  /** `sending`: without a final dot yet. `over`: it has results, and must not get a final dot. */
  state: "waiting" | "sending" | "final-dot" | "over";
}

/** Decides about a delivery while it runs. */
export interface Guard {
  /** Returns whether its lease has ended, or its results are known. Ends it then. */
  isOver(delivery: Delivery): boolean;
  /** Return false when it must not go on, after they have ended it. */
  mayBegin(delivery: Delivery): Promise<boolean>;
  mayEnd(delivery: Delivery): Promise<boolean>;
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
      if (!(await guard.mayBegin(delivery))) throw new Error("the delivery must not begin");
      yield* delivery.email.content;
      // The final dot follows in the same tick.
      if (!(await guard.mayEnd(delivery))) throw new Error("the delivery must not end");
      delivery.state = "final-dot";
    },
  };
}
