/** Seeded chance, and bindings that fail by it: before they do what they are asked, or after, when it is done all the same. */

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The items in an order of chance. */
export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

export type Binding = "database" | "queue" | "objects";
export type Moment = "before" | "after";

/** Which calls fail. Change it while the bindings are in use: `chance` 0 ends the faults. */
export interface Faults {
  random: () => number;
  /** From 0 to 1, for each call. */
  chance: number;
  bindings: readonly Binding[];
  moments: readonly Moment[];
  /** Faults so far. */
  count: number;
}

/** Does what was asked, unless chance has it otherwise. */
async function risk<Result>(faults: Faults, binding: Binding, act: () => Promise<Result>): Promise<Result> {
  if (!faults.bindings.includes(binding) || faults.random() >= faults.chance) return act();
  faults.count += 1;
  const moment = faults.moments[Math.floor(faults.random() * faults.moments.length)];
  if (moment === "after") await act();
  throw new Error(`injected fault: the ${binding} failed ${moment} it was done`);
}

/** A database whose calls fail by chance. A batch that fails after its commit has committed. */
export function faultyDatabase(real: D1Database, faults: Faults): Pick<D1Database, "prepare" | "batch"> {
  function watch(prepared: D1PreparedStatement): D1PreparedStatement {
    const { bind } = prepared;
    const risky = (name: "first" | "all" | "run" | "raw") => {
      const ask = prepared[name] as (...options: unknown[]) => Promise<unknown>;
      return (...options: unknown[]) => risk(faults, "database", () => ask.apply(prepared, options));
    };
    return Object.assign(prepared, {
      bind: (...values: unknown[]) => watch(bind.apply(prepared, values)),
      first: risky("first"),
      all: risky("all"),
      run: risky("run"),
      raw: risky("raw"),
    });
  }
  return {
    prepare: (sql) => watch(real.prepare(sql)),
    batch: (statements) => risk(faults, "database", () => real.batch(statements)),
  };
}

/** A bucket whose reads, writes and removals fail by chance. */
export function faultyObjects(real: R2Bucket, faults: Faults): Pick<R2Bucket, "get" | "put" | "delete"> {
  const get = (key: string, options?: R2GetOptions) => risk(faults, "objects", () => real.get(key, options));
  const put = (key: string, value: ArrayBufferView) => risk(faults, "objects", () => real.put(key, value));
  return {
    get: get as R2Bucket["get"],
    put: put as R2Bucket["put"],
    delete: (keys) => risk(faults, "objects", () => real.delete(keys)),
  };
}

/** A queue that keeps its messages for the test to hand over, and refuses some by chance. */
export class HeldQueue<Body> {
  readonly #faults: Faults | null;
  #held: { body: Body; from: number }[] = [];

  constructor(faults: Faults | null = null) {
    this.#faults = faults;
  }

  async sendBatch(messages: Iterable<MessageSendRequest<Body>>): Promise<void> {
    const keep = async () => {
      for (const { body, delaySeconds = 0 } of messages) {
        this.#held.push({ body, from: Date.now() + delaySeconds * 1000 });
      }
    };
    await (this.#faults ? risk(this.#faults, "queue", keep) : keep());
  }

  /** Takes out the messages whose delay is over. */
  take(): Body[] {
    const now = Date.now();
    const due = this.#held.filter(({ from }) => from <= now);
    this.#held = this.#held.filter(({ from }) => from > now);
    return due.map(({ body }) => body);
  }
}
