import type { Clock } from "../mail-gateway/clock.ts";

interface Entry<Value> {
  value: Promise<Value>;
  /** As `now` of the clock; infinite while it is looked up. */
  expiresAt: number;
}

/** Remembers values for a time of their own, at most a number of them. A value is looked up once, however many ask for it. */
export class ExpiringCache<Value> {
  readonly #size: number;
  readonly #clock: Pick<Clock, "now">;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(size: number, clock: Pick<Clock, "now">) {
    this.#size = size;
    this.#clock = clock;
  }

  /** Returns the value of a key. `lookUp` must not throw; it returns the value and for how long it holds, in ms. */
  get(key: string, lookUp: (key: string) => Promise<{ value: Value; ms: number }>): Promise<Value> {
    const known = this.#entries.get(key);
    if (known && known.expiresAt > this.#clock.now()) return known.value;
    const entry: Entry<Value> = {
      expiresAt: Number.POSITIVE_INFINITY,
      value: lookUp(key).then(({ value, ms }) => {
        entry.expiresAt = this.#clock.now() + ms;
        return value;
      }),
    };
    // The newest last, so that the first is the oldest.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#size && oldest !== undefined) this.#entries.delete(oldest);
    return entry.value;
  }
}
