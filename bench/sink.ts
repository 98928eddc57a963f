/** The SMTP server of the bench: accepts every email, keeps none, and records when each one arrived. */
import { ScriptedServer } from "../test/support/scripted-smtp.ts";

const TIMEOUT_MS = 120_000;
const POLL_MS = 2;

export class Sink {
  readonly #server = new ScriptedServer({ countOnly: true }, { key: "", cert: "" });
  #port = 0;

  static async start(): Promise<Sink> {
    const sink = new Sink();
    sink.#port = await sink.#server.listen();
    return sink;
  }

  get port(): number {
    return this.#port;
  }

  /** EGRESS_URL of a Worker that sends to this server. */
  get url(): string {
    return `smtp://127.0.0.1:${this.#port}/?tls=off`;
  }

  /** Times at which the final dot of each email arrived, in milliseconds of `performance.now()` in this process. */
  get arrivals(): readonly number[] {
    return this.#server.arrivals;
  }

  /** SMTP connections since the start. */
  get connections(): number {
    return this.#server.counters.connections;
  }

  /** Returns when the last email to a recipient has arrived, as in `arrivals`; undefined when none has. */
  arrivedAt(recipient: string): number | undefined {
    return this.#server.arrivalByRecipient.get(recipient);
  }

  /** Waits until an email to a recipient has arrived. Returns the time as in `arrivals`. Throws after two minutes. */
  async arrivalOf(recipient: string): Promise<number> {
    const end = Date.now() + TIMEOUT_MS;
    for (;;) {
      const arrivedAt = this.arrivedAt(recipient);
      if (arrivedAt !== undefined) return arrivedAt;
      if (Date.now() > end) throw new Error(`the sink got no email to ${recipient}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Waits until `count` emails have arrived since the start. Throws after two minutes, or when more have arrived. */
  async waitFor(count: number): Promise<void> {
    const end = Date.now() + TIMEOUT_MS;
    while (this.arrivals.length < count) {
      if (Date.now() > end) throw new Error(`the sink got ${this.arrivals.length} of ${count} emails`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    if (this.arrivals.length > count)
      throw new Error(`the sink got ${this.arrivals.length} emails instead of ${count}`);
  }

  stop(): void {
    this.#server.close();
  }
}
