/** An open, authenticated SMTP session as a Connection: transactions run in order, the next pipelined behind the last. */

import type { ServerCapabilities } from "./capabilities.ts";
import { planTransaction } from "./commands.ts";
import { toTransactionResult } from "./results.ts";
import type { SmtpSession } from "./smtp-session.ts";
import { runTransaction } from "./transaction.ts";
import type { ConnectionTiming, TransactionContext } from "./transaction-context.ts";
import type { Connection, Envelope, OutgoingMessage, TransactionResult } from "./transport.ts";

/**
 * Returns a Connection over a session that is ready for MAIL. `send` may be called again before it has resolved: calls
 * run in order. With PIPELINING the next MAIL..DATA follows the final dot before the server has replied to it.
 */
export function smtpConnection(session: SmtpSession, server: ServerCapabilities, timing: ConnectionTiming): Connection {
  const context: TransactionContext = { session, pipelining: server.pipelining, needsReset: false, ...timing };
  const transactions = new TransactionQueue();
  let closing: Promise<void> | null = null;
  return {
    capabilities: server,
    get usable() {
      return session.disconnect === null && closing === null;
    },
    async send(envelope: Envelope, message: OutgoingMessage): Promise<TransactionResult> {
      const plan = planTransaction(envelope, message, server);
      if (plan.recipients.length === 0) return toTransactionResult(plan, NOTHING_SENT, null);
      if (closing) return toTransactionResult(plan, repliesAfterClose(session), null);
      return new Promise((resolve) => {
        transactions.enqueue((release) => resolve(runTransaction(context, plan, message, release)));
      });
    },
    close() {
      closing ??= transactions.drained().then(() => quit(session, timing.quitMs));
      return closing;
    },
  };
}

/** Starts one transaction at a time. The next one starts in the tick of the release, so that both share one write. */
class TransactionQueue {
  readonly #waiting: ((release: () => void) => void)[] = [];
  #busy = false;

  enqueue(start: (release: () => void) => void): void {
    this.#waiting.push(start);
    if (!this.#busy) this.#next();
  }

  /** Resolves when every transaction enqueued so far has released the queue. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.enqueue((release) => {
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

const CLOSED_LOCALLY = "this side closed the connection";

const NOTHING_SENT = {
  mail: { disconnected: true, reply: null, reason: "nothing was sent" },
  rcpts: [],
  data: null,
} as const;

function repliesAfterClose(session: SmtpSession) {
  const mail = session.disconnect ?? { disconnected: true as const, reply: null, reason: CLOSED_LOCALLY };
  return { mail, rcpts: [], data: null };
}

/** Sends QUIT after the commands that have no reply yet and closes the socket (RFC 5321 4.1.1.10). */
async function quit(session: SmtpSession, quitMs: number): Promise<void> {
  await session.send("QUIT", quitMs);
  session.close(CLOSED_LOCALLY);
}
