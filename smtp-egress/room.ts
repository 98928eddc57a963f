import { Throughput } from "./throughput.ts";

/** Messages a minute that are expected of a receiver of which nothing is known yet, and of one that does not answer. */
const UNKNOWN_PER_MINUTE = 1_000;
const SLOW_PER_MINUTE = 100;
/** A receiver that has work and ends none of it for this time is slow, in ms. After the other its throughput is known. */
const SLOW_MS = 10_000;
const MEASURED_MS = 30_000;
/** The longest wait of an email that finds no room, in ms: until then the receiver may be faster again. */
const MAX_LINE_MS = 1_800_000;
const MINUTE_MS = 60_000;

/**
 * Decides how many emails of one receiver may be in memory: as many as it takes in a minute, so that a slow one has little. All times
 * are in ms since 1970.
 */
export class Room {
  /** Recipients that have a place in memory. */
  places = 0;
  readonly #throughput = new Throughput();
  /** When the last message ended, or the first one began. */
  #progressAt = 0;
  /** Since when messages run without a break. */
  #busySince = 0;
  #running = 0;
  #hasFailed = false;
  /** End of the line of those that found no room. */
  #lineEndsAt = 0;

  /** Notes that a message begins. */
  noteBegin(now: number): void {
    if (this.#running === 0) {
      this.#progressAt = now;
      this.#busySince = now;
    }
    this.#running += 1;
  }

  /** Notes the end of a message. `isAnswered`: the receiver has replied to it. */
  noteEnd(isAnswered: boolean, now: number): void {
    this.#running -= 1;
    this.#hasFailed = !isAnswered;
    this.#progressAt = now;
    if (isAnswered) this.#throughput.note(now);
  }

  /** Returns whether a further recipient may have a place. */
  isFree(now: number): boolean {
    return this.places < this.#perMinute(now);
  }

  /** Returns after how many ms a recipient that finds no room may come again: each later than the one before. */
  wait(now: number): number {
    const perMinute = this.#perMinute(now);
    const drainsAt = now + (this.places / perMinute) * MINUTE_MS;
    this.#lineEndsAt = Math.min(Math.max(this.#lineEndsAt, drainsAt) + MINUTE_MS / perMinute, now + MAX_LINE_MS);
    return Math.ceil(this.#lineEndsAt - now);
  }

  /** Returns how many deliveries may go on waiting in memory. */
  kept(now: number): number {
    return this.#isSlow(now) ? Math.ceil(this.#perMinute(now)) : Number.POSITIVE_INFINITY;
  }

  #perMinute(now: number): number {
    const isMeasured = this.#running > 0 && now - this.#busySince > MEASURED_MS;
    const least = isMeasured || this.#isSlow(now) ? SLOW_PER_MINUTE : UNKNOWN_PER_MINUTE;
    return Math.max(least, this.#throughput.perMinute(now));
  }

  #isSlow(now: number): boolean {
    return this.#hasFailed || (this.#running > 0 && now - this.#progressAt > SLOW_MS);
  }
}
