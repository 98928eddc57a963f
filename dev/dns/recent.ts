/** Something that is read anew, with what was read last. */
export interface Recent<T> {
  /** At most `maxAgeMs` old. */
  recent(): Promise<T>;
  /** Read after this was called: it knows all that had happened by then. */
  anew(): Promise<T>;
}

/** Reads at most twice at a time, however many ask: once under way, and once for all who came since that began. */
export function keepRecent<T>(read: () => Promise<T>, maxAgeMs: number): Recent<T> {
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
    anew,
    recent: () => (last && Date.now() - last.at < maxAgeMs ? Promise.resolve(last.value) : anew()),
  };
}
