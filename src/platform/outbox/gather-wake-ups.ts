import { setTimeout as sleep } from "node:timers/promises";
import type { OutboxCtx, WakeUp } from "../context.ts";

/** Rows that wait for a call at most: they fill 100 queue messages, one `sendBatch`. */
const MAX_ROWS = 1_000;
/** How long one request sends the rows of others, in ms: it may work for 30 s after its response (Workers limits). */
const TURN_MS = 5_000;
/** A request whose call has not ended after this time, in ms, counts as ended by the platform. */
const LOST_MS = 5_000;

interface Sender {
  rows: WakeUp[];
  /** When its last call began, in ms since 1970. */
  calledAt: number;
}

/**
 * Lets the wake-ups of an isolate share queue messages: those that come while a call to the queue runs go in the next call,
 * which the same request makes. A wake-up that comes alone is sent at once.
 */
export class WakeUpGatherer {
  readonly #now: () => number;
  /** The requests whose calls run, by queue and by database. */
  readonly #senders = new WeakMap<object, WeakMap<object, Sender>>();

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * Sends rows of the outbox `outbox` to `queue` by `send`. Resolves at once when another request is to send them: if that is
   * ended before, the next wake-up takes them along, and the sweep finds them within a minute.
   */
  async wake(
    { queue, outbox }: { queue: object; outbox: object },
    rows: readonly WakeUp[],
    send: (rows: readonly WakeUp[]) => Promise<unknown>,
  ): Promise<void> {
    const senders = this.#senders.get(queue) ?? new WeakMap<object, Sender>();
    this.#senders.set(queue, senders);
    const other = senders.get(outbox);
    const isSending = other !== undefined && this.#now() < other.calledAt + LOST_MS;
    if (isSending && other.rows.length + rows.length <= MAX_ROWS) {
      other.rows.push(...rows);
      return;
    }
    if (isSending) {
      await send(rows);
      return;
    }
    const sender: Sender = { rows: [...(other?.rows.splice(0) ?? []), ...rows], calledAt: this.#now() };
    senders.set(outbox, sender);
    const leave = () => senders.get(outbox) === sender && senders.delete(outbox);
    const endsAt = sender.calledAt + TURN_MS;
    try {
      while (sender.rows.length > 0) {
        sender.calledAt = this.#now();
        if (sender.calledAt >= endsAt) leave();
        await send(sender.rows.splice(0));
      }
    } finally {
      leave();
    }
  }
}

/**
 * Returns `wake` with calls that last for `ms` milliseconds at least, so that a gatherer puts the rows of further wake-ups within this
 * time in one queue message. It delays an email by this time at most.
 */
export function lastingWake(
  wake: OutboxCtx["wake"],
  ms: number,
  wait: (ms: number) => Promise<unknown> = sleep,
): OutboxCtx["wake"] {
  return async (rows, delaySeconds) => {
    const [isQueued] = await Promise.all([wake(rows, delaySeconds), wait(ms)]);
    return isQueued;
  };
}
