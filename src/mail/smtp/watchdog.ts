/** Keeps a deadline that changes often. One timer is set again when it fires early, instead of one timer per reply. */
export class Watchdog {
  readonly #onExpired: () => void;
  #due: number | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #firesAt = 0;

  /** Calls `onExpired` once for each deadline that passes. */
  constructor(onExpired: () => void) {
    this.#onExpired = onExpired;
  }

  /** Sets the deadline to `ms` milliseconds from now and replaces the one before. */
  arm(ms: number): void {
    this.#due = Date.now() + ms;
    if (this.#timer !== null && this.#firesAt <= this.#due) return;
    this.#stop();
    this.#start(ms);
  }

  /** Removes the deadline; the timer may still fire once, without effect. */
  disarm(): void {
    this.#due = null;
  }

  /** Removes the deadline and the timer. */
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
