import { ConnectError, type Connection } from "../../../mail/smtp/transport.ts";
import type { EgressStream } from "./egress-stream.ts";

/** The connection of one dispatcher; reopened when it breaks. */
export class ReconnectingConnection {
  readonly #run: EgressStream;
  #opening: Promise<void> = Promise.resolve();
  #connection: Connection | null = null;

  constructor(run: EgressStream) {
    this.#run = run;
  }

  get usable(): boolean {
    return this.#connection?.usable ?? false;
  }

  /** Returns the connection after any replacement in progress; null when the egress could not be reached. */
  async current(): Promise<Connection | null> {
    await this.#opening;
    return this.#connection;
  }

  /** Replaces `old` by a new connection, or by none when the egress cannot be reached. Emails that lost the same one share it. */
  replace(old: Connection | null): Promise<void> {
    this.#opening = this.#opening.then(async () => {
      if (this.#connection === old) await this.#open();
    });
    return this.#opening;
  }

  async #open(): Promise<void> {
    await this.close();
    const { egress, log } = this.#run;
    if (!egress) return;
    try {
      this.#connection = await egress.transport.open();
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      this.#run.unreachable = error;
      log("egress.unreachable", { phase: error.phase, reason: error.message });
    }
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    await connection?.close();
  }
}
