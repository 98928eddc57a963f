/** The time and the timers of a program. All that waits gets them as a parameter, so that tests let time pass by hand. */
export interface Clock {
  /** Returns the time, in ms since 1970. The clock of the machine may be set back. */
  now(): number;
  /** Returns ms since some moment. They never go back. */
  elapsed(): number;
  /** Calls a function after `ms`, unless it is cancelled. */
  after(ms: number, run: () => void): Timer;
  /** Calls a function every `ms` until it is cancelled. */
  every(ms: number, run: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** The clock of the machine. Its timers keep no program running: what serves connections does. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return { cancel: () => clearTimeout(timer) };
  },
  every(ms, run) {
    const timer = setInterval(run, ms).unref();
    return { cancel: () => clearInterval(timer) };
  },
};

/** Resolves after `ms`. */
export function wait(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** Returns the result of `work`, or null when it takes longer than `ms`. */
export async function resultWithin<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = clock.after(ms, () => late.resolve(null));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    timer.cancel();
  }
}
