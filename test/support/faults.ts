/** A seeded random generator, and bindings whose calls fail at random: before the work, or after it is done. */

/** Returns a generator of numbers from 0 to 1, the same sequence for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns the items in random order. */
export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** `database`: any database, for tests with one. */
export type Binding = "database" | "main" | "mail_0" | "mail_1" | "queue" | "objects" | "mailboxes";
export type Moment = "before" | "after";

/** Selects the calls that fail. It may be changed while the bindings are in use: `chance` 0 ends the faults. */
export interface Faults {
  random: () => number;
  /** From 0 to 1, for each call. */
  chance: number;
  bindings: readonly Binding[];
  moments: readonly Moment[];
  /** Faults so far. */
  count: number;
}

/** Runs `act`, or throws before or after it, at random. */
async function withFault<Result>(faults: Faults, binding: Binding, act: () => Promise<Result>): Promise<Result> {
  if (!faults.bindings.includes(binding) || faults.random() >= faults.chance) return act();
  faults.count += 1;
  const moment = faults.moments[Math.floor(faults.random() * faults.moments.length)];
  if (moment === "after") await act();
  throw new Error(`injected fault: the ${binding} failed ${moment} the call`);
}

/** Returns a database whose calls fail at random. A batch that fails "after" has committed. */
export function faultyDatabase(
  real: D1Database,
  faults: Faults,
  binding: Binding = "database",
): Pick<D1Database, "prepare" | "batch"> {
  function watch(prepared: D1PreparedStatement): D1PreparedStatement {
    const { bind } = prepared;
    const risky = (name: "first" | "all" | "run" | "raw") => {
      const execute = prepared[name] as (...options: unknown[]) => Promise<unknown>;
      return (...options: unknown[]) => withFault(faults, binding, () => execute.apply(prepared, options));
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
    batch: (statements) => withFault(faults, binding, () => real.batch(statements)),
  };
}

/** Returns a bucket whose reads, writes and deletes fail at random. */
export function faultyObjects(real: R2Bucket, faults: Faults): Pick<R2Bucket, "get" | "put" | "delete"> {
  const get = (key: string, options?: R2GetOptions) => withFault(faults, "objects", () => real.get(key, options));
  const put = (key: string, value: ArrayBufferView) => withFault(faults, "objects", () => real.put(key, value));
  return {
    get: get as R2Bucket["get"],
    put: put as R2Bucket["put"],
    delete: (keys) => withFault(faults, "objects", () => real.delete(keys)),
  };
}

/** Returns the objects of mailboxes, whose calls fail at random. A call that fails "after" has changed the mailbox. */
export function faultyMailboxes(real: Env["MAILBOX"], faults: Faults): Pick<Env["MAILBOX"], "getByName"> {
  const getByName = (name: string) => {
    const stub = real.getByName(name);
    return new Proxy(stub, {
      get:
        (target, method: keyof typeof stub) =>
        (...args: unknown[]) =>
          withFault(
            faults,
            "mailboxes",
            () =>
              (target as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[method]?.(...args) ??
              Promise.reject(new Error(`a mailbox has no ${String(method)}`)),
          ),
    });
  };
  return { getByName: getByName as Env["MAILBOX"]["getByName"] };
}

/** A queue whose messages the test consumes itself. It refuses some of them at random. */
export class ManualQueue<Body> {
  readonly #faults: Faults | null;
  #messages: { body: Body; from: number }[] = [];

  constructor(faults: Faults | null = null) {
    this.#faults = faults;
  }

  async sendBatch(messages: Iterable<MessageSendRequest<Body>>): Promise<void> {
    const store = async () => {
      for (const { body, delaySeconds = 0 } of messages) {
        this.#messages.push({ body, from: Date.now() + delaySeconds * 1000 });
      }
    };
    await (this.#faults ? withFault(this.#faults, "queue", store) : store());
  }

  /** Removes and returns the messages whose delay is over. */
  take(): Body[] {
    const now = Date.now();
    const due = this.#messages.filter(({ from }) => from <= now);
    this.#messages = this.#messages.filter(({ from }) => from > now);
    return due.map(({ body }) => body);
  }
}
