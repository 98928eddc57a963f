/** Counts events of the last time, by the greater of two periods: the present one and the one before. */
export class Recent {
  readonly #ms: number;
  #period = 0;
  #present = 0;
  #before = 0;

  /** `ms`: length of a period. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  add(now: number): void {
    this.#turn(now);
    this.#present += 1;
  }

  /** Returns the events of a period. */
  count(now: number): number {
    this.#turn(now);
    return Math.max(this.#present, this.#before);
  }

  #turn(now: number): void {
    const period = Math.floor(now / this.#ms);
    if (period === this.#period) return;
    this.#before = period === this.#period + 1 ? this.#present : 0;
    this.#present = 0;
    this.#period = period;
  }
}
