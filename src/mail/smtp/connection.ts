/** An open, authenticated conversation as the port's Connection: transactions queue up and follow each other closely. */

import type { ServerCapabilities } from "./capabilities.ts";
import { planTransaction } from "./commands.ts";
import type { Conversation } from "./conversation.ts";
import type { Session } from "./session.ts";
import { settle } from "./settle.ts";
import { runTransaction } from "./transaction.ts";
import type { Connection, Envelope, OutgoingMessage, TransactionResult } from "./transport.ts";

/** Deadlines of a connection, in milliseconds. */
export interface ConnectionTiming {
  replyMs: number;
  finalDotMs: number;
  quitMs: number;
}

/**
 * Wraps a conversation that is ready for MAIL. `send` may be called again before it has resolved: calls run in order, and
 * a server that takes pipelining gets the next MAIL..DATA behind the final dot it has not yet answered.
 */
export function smtpConnection(
  conversation: Conversation,
  server: ServerCapabilities,
  timing: ConnectionTiming,
): Connection {
  const session: Session = { conversation, pipelining: server.pipelining, needsReset: false, ...timing };
  const turns = new Turns();
  let closing: Promise<void> | null = null;
  return {
    capabilities: server,
    get usable() {
      return conversation.broken === null && closing === null;
    },
    async send(envelope: Envelope, message: OutgoingMessage): Promise<TransactionResult> {
      const plan = planTransaction(envelope, message, server);
      if (plan.recipients.length === 0) return settle(plan, NOTHING_SENT, null);
      if (closing) return settle(plan, closed(conversation), null);
      return new Promise((resolve) => {
        turns.take((release) => resolve(runTransaction(session, plan, message, release)));
      });
    },
    close() {
      closing ??= turns.drained().then(() => quit(conversation, timing.quitMs));
      return closing;
    },
  };
}

/** Who may write. Starts the next in line in the same tick, so that it can share a write with the one before. */
class Turns {
  readonly #waiting: ((release: () => void) => void)[] = [];
  #busy = false;

  take(start: (release: () => void) => void): void {
    this.#waiting.push(start);
    if (!this.#busy) this.#next();
  }

  /** Resolves when everybody who is waiting now has had the turn. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.take((release) => {
        release();
        resolve();
      });
    });
  }

  #next(): void {
    const start = this.#waiting.shift();
    this.#busy = start !== undefined;
    let released = false;
    start?.(() => {
      if (released) return;
      released = true;
      this.#next();
    });
  }
}

const NOTHING_SENT = {
  mail: { broken: true, reply: null, reason: "nothing was sent" },
  rcpts: [],
  data: null,
} as const;

function closed(conversation: Conversation) {
  const mail = conversation.broken ?? { broken: true as const, reply: null, reason: "the connection was closed here" };
  return { mail, rcpts: [], data: null };
}

/** Says goodbye behind what is still unanswered and frees the socket (RFC 5321 4.1.1.10). */
async function quit(conversation: Conversation, quitMs: number): Promise<void> {
  const answer = conversation.command("QUIT", quitMs);
  void conversation.flush();
  await answer;
  conversation.end("the connection was closed here");
}
