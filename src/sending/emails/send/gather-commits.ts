/** Commits of one transaction at most, and bytes of their rows: a bound parameter of D1 has 2,000,000. */
const MAX_COMMITS = 64;
const MAX_BYTES = 1_000_000;
/** Time in ms after which a leader without a sign of life counts as ended by the platform, and time between its signs. */
const SILENCE_MS = 5_000;
const SIGN_MS = 1_000;

/** A commit that waits for a transaction. It crosses from one request to another, so it has plain data only. */
export interface Gathered {
  /** Bytes of its rows. */
  bytes: number;
  /** Two with the same are never in one transaction; null: no other has the same. */
  repeatKey: string | null;
}

/** Writes commits in one transaction, the first of them that of its own request, and returns those that it wrote. */
export type Write<Item> = (items: readonly Item[]) => Promise<ReadonlySet<Item>>;

interface Entry<Item> {
  item: Item;
  /** That its request is to lead, or whether the transaction of another has written it. */
  signal: PromiseWithResolvers<"lead" | boolean>;
}

/** The commits that wait for one database. */
interface Line<Item> {
  waiting: Entry<Item>[];
  /** When the leader gave its last sign of life, in ms since 1970. */
  aliveAt: number;
}

/**
 * Lets commits of an isolate share transactions: those that come while a transaction on the same database runs are written together by
 * the next one. One that comes alone waits for no one. The request of the first that waits leads: it writes the group, then
 * makes the request of the next that waits the leader.
 */
export class CommitGatherer<Item extends Gathered> {
  readonly #now: () => number;
  readonly #lines = new WeakMap<object, Line<Item>>();

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * Commits one item. Returns false when it is to be committed alone, which tells why: a transaction of several did not write it or
   * has failed, or its leader has given no sign of life for five seconds, and may have written it. Throws what `write` throws
   * for this item alone. Keep the result under `waitUntil`: other requests wait for it.
   */
  async commit(database: object, item: Item, write: Write<Item>): Promise<boolean> {
    const entry: Entry<Item> = { item, signal: Promise.withResolvers() };
    const now = this.#now();
    const running = this.#lines.get(database);
    if (running && now < running.aliveAt + SILENCE_MS) {
      running.waiting.push(entry);
      const signal = await this.#waitForSignal(running, entry);
      return signal === "lead" ? (await this.#lead(database, running, write)).has(item) : signal;
    }
    const line = { waiting: [entry], aliveAt: now };
    this.#lines.set(database, line);
    // Those that one request commits together come before this.
    await null;
    return (await this.#lead(database, line, write)).has(item);
  }

  /** Waits for the signal of an entry, or for the silence of the leader. */
  async #waitForSignal(line: Line<Item>, entry: Entry<Item>): Promise<"lead" | boolean> {
    for (;;) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const pause = new Promise<null>((resolve) => {
        timer = setTimeout(() => resolve(null), SILENCE_MS);
      });
      const signal = await Promise.race([entry.signal.promise, pause]);
      clearTimeout(timer);
      if (signal !== null) return signal;
      if (this.#now() < line.aliveAt + SILENCE_MS) continue;
      line.waiting = line.waiting.filter((other) => other !== entry);
      return false;
    }
  }

  /** Writes the first that wait, that of this request among them, and tells them. Returns those that were written. */
  async #lead(database: object, line: Line<Item>, write: Write<Item>): Promise<ReadonlySet<Item>> {
    const group = takeGroup(line);
    const live = () => {
      line.aliveAt = this.#now();
    };
    live();
    const signs = setInterval(live, SIGN_MS);
    let written: ReadonlySet<Item> = new Set();
    try {
      written = await write(group.map(({ item }) => item));
    } catch (error) {
      if (group.length === 1) throw error;
    } finally {
      clearInterval(signs);
      live();
      for (const { item, signal } of group) signal.resolve(written.has(item));
      const [next] = line.waiting;
      if (next) next.signal.resolve("lead");
      else if (this.#lines.get(database) === line) this.#lines.delete(database);
    }
    return written;
  }
}

/** Takes the first that wait, as many as one transaction may have. One that repeats another stays. */
function takeGroup<Item extends Gathered>(line: Line<Item>): Entry<Item>[] {
  const group: Entry<Item>[] = [];
  const keys = new Set<string>();
  let bytes = 0;
  for (const entry of line.waiting) {
    const { item } = entry;
    if (group.length === MAX_COMMITS || (group.length > 0 && bytes + item.bytes > MAX_BYTES)) break;
    if (item.repeatKey !== null && keys.has(item.repeatKey)) continue;
    if (item.repeatKey !== null) keys.add(item.repeatKey);
    group.push(entry);
    bytes += item.bytes;
  }
  const taken = new Set(group);
  line.waiting = line.waiting.filter((entry) => !taken.has(entry));
  return group;
}
