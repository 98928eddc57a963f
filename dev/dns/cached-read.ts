/** A read whose last result is cached, and which concurrent callers share. */
export interface CachedRead<T> {
  /** Returns a result that is at most `maxAgeMs` milliseconds old. */
  cached(): Promise<T>;
  /** Returns the result of a read that starts after this call. */
  fresh(): Promise<T>;
}

/** Shares reads: callers that arrive during a read wait for one further read after it. */
export function cacheReads<T>(read: () => Promise<T>, maxAgeMs: number): CachedRead<T> {
  let last: { at: number; value: T } | null = null;
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;

  async function readOnce(): Promise<T> {
    const at = Date.now();
    const value = await read();
    last = { at, value };
    return value;
  }

  function anew(): Promise<T> {
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        const reading = readOnce();
        running = reading;
        return reading;
      });
    return next;
  }

  return {
    fresh: anew,
    cached: () => (last && Date.now() - last.at < maxAgeMs ? Promise.resolve(last.value) : anew()),
  };
}
