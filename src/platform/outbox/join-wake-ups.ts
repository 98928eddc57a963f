import { setTimeout as sleep } from "node:timers/promises";
import type { OutboxCtx } from "../context.ts";
import type { OutboxMessage, WakeUp } from "./wake.ts";

/** Time between two queue messages of joined wake-ups, in ms: the longest that they delay an email. */
const JOIN_MS = 100;
/** A request that has not sent the joined rows this long after it should have, in ms, was ended before it could. */
const LOST_MS = 1_000;
/** Rows that wait at most: they fill 100 queue messages, one `sendBatch`. */
const MAX_ROWS = 1_000;

interface Joined {
  rows: WakeUp[];
  /** When one call sends the rows of all, in ms since 1970. */
  sendAt: number;
}

/**
 * Lets wake-ups of an isolate share queue messages: one that follows another within 100 ms waits for the rest of that time
 * and takes the rows of further ones along. For submitted messages, which come in groups: a queue message takes a fifth of
 * the CPU time of a group, and three billed operations.
 */
export class WakeUpJoiner {
  readonly #now: () => number;
  readonly #wait: (ms: number) => Promise<unknown>;
  readonly #joined = new Map<OutboxMessage["database"], Joined>();

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number = Date.now, wait: (ms: number) => Promise<unknown> = sleep) {
    this.#now = now;
    this.#wait = wait;
  }

  /**
   * Sends rows of the outbox of `database` by `wake`. Resolves at once, with true, when another call is to send them: if its
   * request is ended before, the sweep finds them within a minute, as those of any lost queue message.
   */
  async wake(database: OutboxMessage["database"], rows: readonly WakeUp[], wake: OutboxCtx["wake"]): Promise<boolean> {
    const now = this.#now();
    const last = this.#joined.get(database) ?? { rows: [], sendAt: 0 };
    const isWaiting = last.rows.length > 0 && now < last.sendAt + LOST_MS;
    if (isWaiting && last.rows.length + rows.length <= MAX_ROWS) {
      last.rows.push(...rows);
      return true;
    }
    const joined = { rows: [...rows], sendAt: Math.max(now, last.sendAt + JOIN_MS) };
    this.#joined.set(database, joined);
    if (joined.sendAt > now) await this.#wait(joined.sendAt - now);
    return wake(joined.rows.splice(0));
  }
}
