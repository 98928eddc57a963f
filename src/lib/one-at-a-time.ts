import { nextTurn } from "./yielding-steps.ts";

/** Time between two looks at whether it is free, in ms. */
const POLL_MS = 20;
/** Looks after which the same work was cancelled with its request: 2 s. */
const LEASE_POLLS = 100;
/** Time without work before one that had to wait, in ms: a request of others needs several turns. */
const PAUSE_MS = 30;

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Runs work that computes for tens of milliseconds one at a time in an isolate, so that other requests get their turn between.
 * Waits by timers: a promise that another request resolves would be lost with that request.
 */
export class OneAtATime {
  /** Identifies the work that runs; null: none. */
  #running: object | null = null;

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    let seen: object | null = null;
    for (let polls = 0; this.#running !== null && polls < LEASE_POLLS; polls++) {
      if (this.#running !== seen) [seen, polls] = [this.#running, 0];
      await wait(POLL_MS);
    }
    // Nothing is awaited between the last look and this, so no other work begins meanwhile.
    const own = {};
    this.#running = own;
    try {
      await (seen === null ? nextTurn() : wait(PAUSE_MS));
      return await work();
    } finally {
      if (this.#running === own) this.#running = null;
    }
  }
}
