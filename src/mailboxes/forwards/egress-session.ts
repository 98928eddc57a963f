import {
  ConnectError,
  type Connection,
  type Envelope,
  type OutgoingMessage,
  type RecipientResult,
} from "../../mail/smtp/transport.ts";
import type { Egress, UnusableEgress } from "../../sending/delivery/index.ts";
import { type ForwardResult, failed } from "./types.ts";

/** Sends messages to one recipient each over one connection to the egress, which it opens when it is needed. */
export class EgressSession {
  readonly #egress: Egress | UnusableEgress;
  #connection: Connection | null = null;

  constructor(egress: Egress | UnusableEgress) {
    this.#egress = egress;
  }

  /** Sends a message. The result has the event `event` when the egress took it. */
  async send(envelope: Envelope, message: OutgoingMessage, event: string): Promise<ForwardResult> {
    if ("issue" in this.#egress) return { kind: "later", reason: "there is no egress", isAttempt: false };
    try {
      if (!this.#connection?.usable) this.#connection = await this.#egress.transport.open();
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      return { kind: "later", reason: error.message, isAttempt: true };
    }
    const { recipients } = await this.#connection.send(envelope, message);
    const [result] = recipients;
    return result ? toResult(result, event) : failed("the egress gave no result");
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }
}

function toResult(result: RecipientResult, event: string): ForwardResult {
  switch (result.kind) {
    case "accepted":
      return { kind: "done", event, metadata: {} };
    case "recipient-refused":
    case "message-refused": {
      const { code, enhanced, text } = result.reply;
      return failed([code, enhanced, text].filter(Boolean).join(" "));
    }
    case "deferred":
    case "ambiguous":
      return { kind: "later", reason: result.reason, isAttempt: true };
  }
}
