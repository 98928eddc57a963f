import { type Clock, wait } from "../mail-gateway/clock.ts";
import { warmUpOf } from "../src/mail/warm-up/warm-up.ts";
import type { StartedWarmUp } from "./receiver-pace.ts";

/** The volume of the source address at a receiver, as the Worker keeps it. */
export interface VolumeRow {
  receiver: string;
  /** Emails that were accepted today (UTC). */
  today: number;
  /** Start of the first day with an accepted email, in ms since 1970. */
  since: number;
}

const DAY_MS = 86_400_000;
/** Between two attempts to read, in ms. */
const RETRY_MS = 1_000;

/** The volumes of the source address when the program starts, so that its warm-up goes on after a restart. */
export class Volumes {
  readonly #since: number | null;
  readonly #rows = new Map<string, VolumeRow>();
  readonly #clock: Clock;
  readonly #readAt: number;
  #isClosed = false;
  isKnown = false;

  /** `since`: start of the first day for all receivers, in ms since 1970. `read` asks the Worker, until it responds. */
  constructor(since: number | null, read: () => Promise<VolumeRow[]>, clock: Clock) {
    this.#since = since;
    this.#clock = clock;
    this.#readAt = clock.now();
    void this.#readUntilKnown(read);
  }

  /** Returns the warm-up of a receiver. `now` in ms since 1970. */
  warmUpOf(receiver: { name: string }, now: number): StartedWarmUp {
    const known = this.#rows.get(receiver.name);
    const isToday = Math.floor(now / DAY_MS) === Math.floor(this.#readAt / DAY_MS);
    const since = this.#since ?? known?.since ?? Math.floor(now / DAY_MS) * DAY_MS;
    return { ...warmUpOf(receiver, since), today: isToday ? (known?.today ?? 0) : 0 };
  }

  close(): void {
    this.#isClosed = true;
  }

  async #readUntilKnown(read: () => Promise<VolumeRow[]>): Promise<void> {
    while (!this.isKnown && !this.#isClosed) {
      try {
        for (const row of await read()) this.#rows.set(row.receiver, row);
        this.isKnown = true;
      } catch {
        await wait(this.#clock, RETRY_MS);
      }
    }
  }
}
