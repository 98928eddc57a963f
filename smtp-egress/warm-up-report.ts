import type { Clock, Timer } from "../mail-gateway/clock.ts";

/** Between two calls, in ms: the Worker forgets an egress that it has not heard of for three days. After a failure, in ms. */
const EVERY_MS = 6 * 3_600_000;
const RETRY_MS = 60_000;
/** Until the first call, in ms: egress and Worker may start together, as in npm start. */
const FIRST_MS = 10_000;

/** Tells the Worker the warm-up of this egress, so that it knows how long a broadcast takes. */
export class WarmUpReport {
  readonly #tell: () => Promise<unknown>;
  readonly #clock: Clock;
  #timer: Timer;

  /** `tell` calls the Worker. `isTold`: the first call has been made by another. */
  constructor(tell: () => Promise<unknown>, { isTold, clock }: { isTold: boolean; clock: Clock }) {
    this.#tell = tell;
    this.#clock = clock;
    this.#timer = this.#after(isTold ? EVERY_MS : FIRST_MS);
  }

  close(): void {
    this.#timer.cancel();
  }

  #after(ms: number): Timer {
    return this.#clock.after(ms, () => {
      this.#tell().then(
        () => this.#again(EVERY_MS),
        () => this.#again(RETRY_MS),
      );
    });
  }

  #again(ms: number): void {
    this.#timer = this.#after(ms);
  }
}
