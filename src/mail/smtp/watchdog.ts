/** One deadline that moves often: a single timer follows it lazily, instead of one timer a reply. */
export class Watchdog {
  readonly #onExpired: () => void;
  #due: number | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #firesAt = 0;

  /** `onExpired` runs once for each deadline that passes. */
  constructor(onExpired: () => void) {
    this.#onExpired = onExpired;
  }

  /** Sets the deadline to `ms` milliseconds from now, in place of an earlier one. */
  arm(ms: number): void {
    this.#due = Date.now() + ms;
    if (this.#timer !== null && this.#firesAt <= this.#due) return;
    this.#stop();
    this.#start(ms);
  }

  /** Takes the deadline away; the timer may still tick once, without effect. */
  disarm(): void {
    this.#due = null;
  }

  /** Takes the deadline and the timer away. */
  close(): void {
    this.#due = null;
    this.#stop();
  }

  #start(ms: number): void {
    this.#firesAt = Date.now() + ms;
    this.#timer = setTimeout(() => this.#fire(), ms);
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #fire(): void {
    this.#timer = null;
    if (this.#due === null) return;
    const left = this.#due - Date.now();
    if (left > 0) {
      this.#start(left);
      return;
    }
    this.#due = null;
    this.#onExpired();
  }
}
