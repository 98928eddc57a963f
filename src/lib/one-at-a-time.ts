import { nextTurn } from "./yielding-steps.ts";

/** Time between two looks at whether it is free, in ms. */
const POLL_MS = 20;
/** Work that has not ended after this time was cancelled with its request, in ms. */
const LEASE_MS = 2_000;
/** Time without work after each, in ms: a request of others needs several turns. */
const PAUSE_MS = 30;

/**
 * Runs work that computes for tens of milliseconds one at a time in an isolate, so that other requests get their turn between.
 * Waits by timers: a promise that another request resolves would be lost with that request.
 */
export class OneAtATime {
  /** When the next work may begin at the latest, in ms since 1970. */
  #busyUntil = 0;

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    while (Date.now() < this.#busyUntil) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const until = Date.now() + LEASE_MS;
    this.#busyUntil = until;
    try {
      await nextTurn();
      return await work();
    } finally {
      // The clock of a Worker moves with the event loop only.
      await nextTurn();
      if (this.#busyUntil === until) this.#busyUntil = Date.now() + PAUSE_MS;
    }
  }
}
