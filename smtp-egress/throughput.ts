const MINUTE_MS = 60_000;
/** The shortest time that a rate is measured over, in ms. */
const LEAST_MS = 1_000;

/** Measures how many events a minute has, over the last minute or two. */
export class Throughput {
  #startedAt = 0;
  #events = 0;
  #beforeMs = 0;
  #before = 0;

  /** Notes an event. `now` in ms since 1970, as below. */
  note(now: number): void {
    this.#turn(now);
    this.#events += 1;
  }

  /** Returns the events of a minute at the present rate. */
  perMinute(now: number): number {
    this.#turn(now);
    const ms = Math.max(LEAST_MS, this.#beforeMs + now - this.#startedAt);
    return ((this.#before + this.#events) / ms) * MINUTE_MS;
  }

  /** Begins a minute when the present one is over. What is older than the one before does not count. */
  #turn(now: number): void {
    const ms = now - this.#startedAt;
    if (ms < MINUTE_MS) return;
    const isRecent = ms < 2 * MINUTE_MS;
    this.#before = isRecent ? this.#events : 0;
    this.#beforeMs = isRecent ? ms : 0;
    this.#events = 0;
    this.#startedAt = now;
  }
}
