import type { Clock } from "./clock.ts";

/** Leases that are kept at most. */
const MAX_LEASES = 10_000;

/**
 * Credentials that the Worker has just found active, and their senders that it allows. The Worker says in each response for how
 * long one counts, and confirms the deletion of a credential only after that time: so a credential whose deletion was confirmed
 * has no lease, and is refused at the next MAIL FROM (docs/contract/smtp.md#smtp-credentials).
 */
export class Leases {
  readonly #clock: Pick<Clock, "elapsed">;
  /** Ends by credential and sender, as times of `elapsed`. */
  readonly #ends = new Map<string, number>();

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  /** Returns the time by which leases end. */
  now(): number {
    return this.#clock.elapsed();
  }

  /**
   * Grants leases of a credential, and of its senders. `startedAt` is the time (`now`) before the call whose response was `ms`, because
   * the Worker read the credential later than that. A response without `ms` is of a Worker that grants none.
   */
  grant(credential: string, senders: Iterable<string>, startedAt: number, ms: unknown): void {
    if (typeof ms !== "number") return;
    for (const sender of [null, ...senders]) {
      const key = keyOf(credential, sender);
      const end = Math.max(this.#ends.get(key) ?? 0, startedAt + ms);
      // The newest last, so that the first is the oldest.
      this.#ends.delete(key);
      this.#ends.set(key, end);
    }
    for (const key of this.#ends.keys()) {
      if (this.#ends.size <= MAX_LEASES) break;
      this.#ends.delete(key);
    }
  }

  /** Returns whether a credential, or one of its senders, has a lease. */
  covers(credential: string, sender: string | null): boolean {
    return this.now() < (this.#ends.get(keyOf(credential, sender)) ?? 0);
  }
}

const keyOf = (credential: string, sender: string | null) => JSON.stringify([credential, sender]);
