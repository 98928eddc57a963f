import type { Clock, Timer } from "../../../mail-gateway/clock.ts";

interface Entry {
  dueAt: number;
  run(): void;
  /** Of a timer that repeats. */
  everyMs: number | null;
}

const STEP_MS = 100;

/** A clock that stands still until a test advances it. */
export class ManualClock implements Clock {
  #now = Date.now();
  readonly #timers = new Set<Entry>();

  /** Timers that are neither over nor cancelled. */
  get timers(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): Timer {
    return this.#add({ dueAt: this.#now + ms, run, everyMs: null });
  }

  every(ms: number, run: () => void): Timer {
    return this.#add({ dueAt: this.#now + ms, run, everyMs: ms });
  }

  /** Lets time pass: runs what is due in the order of its times, and after each what follows from it without input or output. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      this.#now = Math.max(this.#now, next.dueAt);
      if (next.everyMs === null) this.#timers.delete(next);
      else next.dueAt += next.everyMs;
      next.run();
      await settled();
    }
    this.#now = end;
  }

  /** Moves the time, and runs no timer, as when the program gets no CPU. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Lets time pass until a promise settles, and returns its value. */
  async advanceUntil<Value>(promise: Promise<Value>): Promise<Value> {
    let isPending = true;
    const settles = promise.finally(() => {
      isPending = false;
    });
    while (isPending) await this.advance(STEP_MS);
    return settles;
  }

  #add(entry: Entry): Timer {
    this.#timers.add(entry);
    return { cancel: () => this.#timers.delete(entry) };
  }

  #nextUntil(end: number): Entry | null {
    let next: Entry | null = null;
    for (const timer of this.#timers) if (timer.dueAt <= end && (!next || timer.dueAt < next.dueAt)) next = timer;
    return next;
  }
}

/** Resolves when all promises have settled that wait for nothing outside. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
