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

/** Selects the calls that fail. It may be changed while the bindings are in use: `chance` 0 ends the failures. */
export interface FailureInjection {
  random: () => number;
  /** From 0 to 1, for each call. */
  chance: number;
  bindings: readonly Binding[];
  moments: readonly Moment[];
  /** Failures so far. */
  count: number;
}

/** Runs `act`, or throws before or after it, at random. */
async function failAtRandom<Result>(
  injection: FailureInjection,
  binding: Binding,
  act: () => Promise<Result>,
): Promise<Result> {
  if (!injection.bindings.includes(binding) || injection.random() >= injection.chance) return act();
  injection.count += 1;
  const moment = injection.moments[Math.floor(injection.random() * injection.moments.length)];
  if (moment === "after") await act();
  throw new Error(`injected failure: the ${binding} failed ${moment} the call`);
}

/** Returns a database whose calls fail at random. A batch that fails "after" has committed. */
export function failingDatabase(
  real: D1Database,
  injection: FailureInjection,
  binding: Binding = "database",
): Pick<D1Database, "prepare" | "batch"> {
  function watch(prepared: D1PreparedStatement): D1PreparedStatement {
    const { bind } = prepared;
    const risky = (name: "first" | "all" | "run" | "raw") => {
      const execute = prepared[name] as (...options: unknown[]) => Promise<unknown>;
      return (...options: unknown[]) => failAtRandom(injection, binding, () => execute.apply(prepared, options));
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
    batch: (statements) => failAtRandom(injection, binding, () => real.batch(statements)),
  };
}

/** Returns a bucket whose reads, writes and deletes fail at random. */
export function failingObjects(real: R2Bucket, injection: FailureInjection): Pick<R2Bucket, "get" | "put" | "delete"> {
  const get = (key: string, options?: R2GetOptions) => failAtRandom(injection, "objects", () => real.get(key, options));
  const put = (key: string, value: ArrayBufferView) => failAtRandom(injection, "objects", () => real.put(key, value));
  return {
    get: get as R2Bucket["get"],
    put: put as R2Bucket["put"],
    delete: (keys) => failAtRandom(injection, "objects", () => real.delete(keys)),
  };
}

/** Returns the objects of mailboxes, whose calls fail at random. A call that fails "after" has changed the mailbox. */
export function failingMailboxes(real: Env["MAILBOX"], injection: FailureInjection): Pick<Env["MAILBOX"], "getByName"> {
  const getByName = (name: string) => {
    const stub = real.getByName(name);
    return new Proxy(stub, {
      get:
        (target, method: keyof typeof stub) =>
        (...args: unknown[]) =>
          failAtRandom(
            injection,
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
  readonly #injection: FailureInjection | null;
  #messages: { body: Body; from: number }[] = [];

  constructor(injection: FailureInjection | null = null) {
    this.#injection = injection;
  }

  async sendBatch(messages: Iterable<MessageSendRequest<Body>>): Promise<void> {
    const store = async () => {
      for (const { body, delaySeconds = 0 } of messages) {
        this.#messages.push({ body, from: Date.now() + delaySeconds * 1000 });
      }
    };
    await (this.#injection ? failAtRandom(this.#injection, "queue", store) : store());
  }

  /** Removes and returns the messages whose delay is over. */
  take(): Body[] {
    const now = Date.now();
    const due = this.#messages.filter(({ from }) => from <= now);
    this.#messages = this.#messages.filter(({ from }) => from > now);
    return due.map(({ body }) => body);
  }
}
