import type { ConnectError } from "../src/mail/smtp/client.ts";

/** Addresses that are remembered. */
const MAX_ADDRESSES = 10_000;

/** Remembers for a short time which addresses could not be reached, so that each email does not wait for them anew. */
export class Unreachable {
  readonly #ms: number;
  readonly #errors = new Map<string, { error: ConnectError; until: number }>();

  /** `ms`: for how long. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Notes an address. A reply counts for the email that got it alone: the next one may get another. */
  note(address: string, error: ConnectError): void {
    if (error.reply !== null) return;
    this.#errors.delete(address);
    this.#errors.set(address, { error, until: Date.now() + this.#ms });
    const [oldest] = this.#errors.keys();
    if (this.#errors.size > MAX_ADDRESSES && oldest !== undefined) this.#errors.delete(oldest);
  }

  /** Returns the error of an address that could not be reached just now, or null. */
  errorOf(address: string): ConnectError | null {
    const known = this.#errors.get(address);
    return known && known.until > Date.now() ? known.error : null;
  }
}
