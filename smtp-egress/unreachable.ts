import type { Clock } from "../mail-gateway/clock.ts";
import type { ConnectError } from "../src/mail/smtp/client.ts";
import type { Target } from "./connect.ts";
import { keyOfRule } from "./tls-rule.ts";

/** The part of a target by which it is remembered. */
type Place = Pick<Target, "address" | "rule">;

/** Addresses that are remembered. */
const MAX_ADDRESSES = 10_000;

/** Remembers for a short time which addresses could not be reached, so that each email does not wait for them anew. */
export class Unreachable {
  readonly #ms: number;
  readonly #clock: Pick<Clock, "now">;
  readonly #errors = new Map<string, { error: ConnectError; until: number }>();

  /** `ms`: for how long. */
  constructor(ms: number, clock: Pick<Clock, "now">) {
    this.#ms = ms;
    this.#clock = clock;
  }

  /**
   * Notes an address. A reply counts for the email that got it alone: the next one may get another. TLS that does not satisfy a rule
   * counts for that rule, which another domain with the same host may not have.
   */
  note({ address, rule }: Place, error: ConnectError): void {
    if (error.reply !== null) return;
    const isOfTls = error.phase === "tls" || error.phase === "starttls";
    const key = isOfTls ? keyOf(address, rule) : address;
    this.#errors.delete(key);
    this.#errors.set(key, { error, until: this.#clock.now() + this.#ms });
    const [oldest] = this.#errors.keys();
    if (this.#errors.size > MAX_ADDRESSES && oldest !== undefined) this.#errors.delete(oldest);
  }

  /** Returns the error of an address that could not be reached just now, or null. */
  errorOf({ address, rule }: Place): ConnectError | null {
    const known = [address, keyOf(address, rule)].flatMap((key) => this.#errors.get(key) ?? []);
    return known.find(({ until }) => until > this.#clock.now())?.error ?? null;
  }
}

const keyOf = (address: string, rule: Place["rule"]) => `${address} ${keyOfRule(rule)}`;
