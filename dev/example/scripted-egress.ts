import type { Connection, RecipientResult, Reply } from "../../src/mail/smtp/transport.ts";
import type { Egress } from "../../src/sending/delivery/index.ts";

const CAPABILITIES = { smtpUtf8: true, eightBitMime: true, dsn: true, pipelining: true, lease: false, maxSize: null };

/** Returns a reply of an SMTP server. */
export const reply = (code: number, enhanced: string, text: string): Reply => ({ code, enhanced, text });

/** An egress without a network: each recipient gets the result that was scripted for it, and all others accept. */
export class ScriptedEgress {
  /** The last return path of each recipient. */
  readonly returnPaths = new Map<string, string>();
  /** By address; `attempt` is 1 for the first. */
  readonly #script = new Map<string, (attempt: number) => RecipientResult>();
  readonly #attempts = new Map<string, number>();
  #hasDeferred = false;
  readonly egress: Egress;

  constructor() {
    const connection: Connection = {
      capabilities: CAPABILITIES,
      usable: true,
      send: async ({ mailFrom, recipients }) => ({
        recipients: recipients.map(({ address }) => {
          this.returnPaths.set(address, mailFrom);
          return this.#resultOf(address);
        }),
      }),
      close: async () => {},
    };
    const transport = { open: async () => connection };
    this.egress = { transport, relay: "egress.mail.test", connections: 1, dsn: true };
  }

  /** Scripts the result of each attempt to an address. */
  script(address: string, resultOf: (attempt: number) => RecipientResult): void {
    this.#script.set(address, resultOf);
  }

  /** Returns whether an email was deferred since the last call. */
  takeDeferrals(): boolean {
    const had = this.#hasDeferred;
    this.#hasDeferred = false;
    return had;
  }

  #resultOf(address: string): RecipientResult {
    const attempt = (this.#attempts.get(address) ?? 0) + 1;
    this.#attempts.set(address, attempt);
    const accepted: RecipientResult = {
      kind: "accepted",
      reply: reply(
        250,
        "2.0.0",
        `Ok: queued as ${(attempt * 7919 + address.length * 104_729).toString(16).toUpperCase()}`,
      ),
      dsnRequested: false,
    };
    const result = this.#script.get(address)?.(attempt) ?? accepted;
    this.#hasDeferred ||= result.kind === "deferred";
    return result;
  }
}
