/** Between two calls, in ms: the Worker forgets an egress that it has not heard of for three days. After a failure, in ms. */
const EVERY_MS = 6 * 3_600_000;
const RETRY_MS = 60_000;
/** Until the first call, in ms: egress and Worker may start together, as in npm start. */
const FIRST_MS = 10_000;

/** Tells the Worker the warm-up of this egress, so that it knows how long a broadcast takes. */
export class WarmUpReport {
  readonly #tell: () => Promise<unknown>;
  #timer: NodeJS.Timeout;

  /** `tell` calls the Worker. `isTold`: the first call has been made by another. */
  constructor(tell: () => Promise<unknown>, { isTold }: { isTold: boolean }) {
    this.#tell = tell;
    this.#timer = this.#after(isTold ? EVERY_MS : FIRST_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #after(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#tell().then(
        () => this.#again(EVERY_MS),
        () => this.#again(RETRY_MS),
      );
    }, ms).unref();
  }

  #again(ms: number): void {
    this.#timer = this.#after(ms);
  }
}
