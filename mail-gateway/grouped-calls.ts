import type { Clock, Timer } from "./clock.ts";

/** The response to one item of a call. */
export type CallResult<Value> = { value: Value } | { error: unknown };

interface Waiting<Item, Value> {
  item: Item;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

/** The items of one key. */
interface KeyQueue<Item, Value> {
  waiting: Waiting<Item, Value>[];
  /** Calls that run, without the slow ones. */
  calls: number;
  /** Calls that have run for longer than SLOW_MS. */
  slowCalls: number;
  /** Items of a full call: about as many come at once as came before, when their clients have the responses. */
  expected: number;
  /** Calls until one waits again for the clients of the call before it beside those that wait already. */
  callsUntilMerge: number;
  /** How long the last call took, in ms. */
  lastMs: number;
  /** Ends the wait for further items, or the memory of `expected`. */
  timer: Timer | null;
}

/** Calls of one key at a time: more would only make them smaller. More of items that are sent alone. */
const MAX_CALLS = 1;
const MAX_CALLS_ALONE = 8;
/** How long, in ms, and how many items of failed calls are sent alone, of all keys. Mail servers send again within the hour. */
const SUSPECT_MS = 2 * 3_600_000;
const MAX_SUSPECTS = 4_096;
/** A call that has run for this time, in ms, no longer holds up the next one. Slow calls of one key at a time. */
const SLOW_MS = 1_000;
const MAX_SLOW_CALLS = 8;
/** The longest wait for further items, in ms. */
const MAX_WAIT_MS = 50;
/** Calls that do not wait for the clients of the call before, after a wait for them in vain. */
const CALLS_WITHOUT_MERGE = 16;
/** How long the number of expected items is kept without any, in ms. */
const MEMORY_MS = 1_000;

export interface GroupOptions<Item, Value> {
  clock: Clock;
  /** Makes one call and returns a response for each item, in their order. Throws when the call itself failed. */
  call(items: readonly Item[]): Promise<CallResult<Value>[]>;
  /** Limits of one call. */
  maxItems: number;
  maxBytes: number;
  bytesOf(item: Item): number;
  /** Returns what is the same when an item is sent again after a call that failed. Not needed where calls do not throw. */
  nameOf?(item: Item): string;
}

/**
 * Sends items to the Worker in groups. While a call for a key runs, its further items wait and then go in one call. A call
 * also waits until as many items wait as the last calls had, but at most as long as the last call took, and 50 ms: a call
 * costs far more than an item in it. An item that comes alone does not wait. Keys do not wait for each other, and the
 * items of a key wait for a call that hangs for a second only. An item of a call that failed may be what the Worker fails
 * on: when it comes again, it is sent alone, so that others do not fail with it a second time.
 */
export class GroupedCalls<Item, Value> {
  readonly #options: GroupOptions<Item, Value>;
  readonly #queues = new Map<string, KeyQueue<Item, Value>>();
  /** Names of the items of failed calls, oldest first, and until when they are sent alone. */
  readonly #suspects = new Map<string, number>();

  constructor(options: GroupOptions<Item, Value>) {
    this.#options = options;
  }

  /** Sends an item in a call that begins after this one, and returns its response. Throws the error of the response or call. */
  send(key: string, item: Item): Promise<Value> {
    const queue = this.#queues.get(key) ?? {
      waiting: [],
      calls: 0,
      slowCalls: 0,
      expected: 1,
      callsUntilMerge: 0,
      lastMs: 0,
      timer: null,
    };
    this.#queues.set(key, queue);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ item, resolve, reject });
      if (queue.waiting.length === 1) stopTimer(queue);
      this.#advance(key, queue);
    });
  }

  /** Starts calls, or waits for further items, or for the time to delete the queue. */
  #advance(key: string, queue: KeyQueue<Item, Value>): void {
    const { clock } = this.#options;
    const isFull = this.#isNextAlone(key, queue) || queue.waiting.length >= queue.expected;
    if (queue.waiting.length > 0 && isFull) this.#start(key, queue);
    else if (queue.calls > 0) return;
    else if (queue.waiting.length > 0)
      queue.timer ??= clock.after(Math.min(queue.lastMs, MAX_WAIT_MS), () => this.#giveUpWaiting(key, queue));
    else if (queue.slowCalls === 0) queue.timer ??= clock.after(MEMORY_MS, () => this.#reset(key, queue));
  }

  #giveUpWaiting(key: string, queue: KeyQueue<Item, Value>): void {
    queue.callsUntilMerge = CALLS_WITHOUT_MERGE;
    this.#start(key, queue);
  }

  #start(key: string, queue: KeyQueue<Item, Value>): void {
    stopTimer(queue);
    while (queue.waiting.length > 0 && mayCall(queue, this.#isNextAlone(key, queue))) {
      const group = this.#takeGroup(key, queue);
      // Falls by half, so that one late client does not split the others.
      queue.expected = Math.max(group.length, Math.floor((queue.expected + group.length) / 2));
      this.#run(key, queue, group);
    }
  }

  #run(key: string, queue: KeyQueue<Item, Value>, group: readonly Waiting<Item, Value>[]): void {
    const { clock, maxItems } = this.#options;
    queue.calls += 1;
    const start = clock.elapsed();
    let isSlow = false;
    const slow = clock.after(SLOW_MS, () => {
      isSlow = true;
      queue.calls -= 1;
      queue.slowCalls += 1;
      this.#advance(key, queue);
    });
    void this.#call(key, group).finally(() => {
      slow.cancel();
      if (isSlow) queue.slowCalls -= 1;
      else queue.calls -= 1;
      queue.lastMs = clock.elapsed() - start;
      // Two groups that alternate cost twice as many calls as one.
      if (queue.callsUntilMerge > 0) queue.callsUntilMerge -= 1;
      else if (group.length > 1 && queue.waiting.length > 1)
        queue.expected = Math.min(maxItems, Math.max(queue.expected, group.length + queue.waiting.length));
      this.#advance(key, queue);
    });
  }

  async #call(key: string, group: readonly Waiting<Item, Value>[]): Promise<void> {
    try {
      const responses = await this.#options.call(group.map(({ item }) => item));
      for (const [index, { resolve, reject }] of group.entries()) {
        const response = responses[index] ?? { error: new Error("the call has no response for an item") };
        if ("value" in response) resolve(response.value);
        else reject(response.error);
      }
    } catch (error) {
      for (const { item, reject } of group) {
        this.#suspect(key, item);
        reject(error);
      }
    }
  }

  #takeGroup(key: string, queue: KeyQueue<Item, Value>): Waiting<Item, Value>[] {
    const { maxItems, maxBytes, bytesOf } = this.#options;
    let [count, bytes] = [0, 0];
    for (const { item } of queue.waiting) {
      const isSuspect = this.#isSuspect(key, item);
      bytes += bytesOf(item);
      if (count > 0 && (isSuspect || bytes > maxBytes || count === maxItems)) break;
      count += 1;
      if (isSuspect) break;
    }
    return queue.waiting.splice(0, count);
  }

  #suspect(key: string, item: Item): void {
    const name = this.#nameOf(key, item);
    this.#suspects.delete(name);
    this.#suspects.set(name, this.#options.clock.elapsed() + SUSPECT_MS);
    const [oldest] = this.#suspects.keys();
    if (this.#suspects.size > MAX_SUSPECTS && oldest !== undefined) this.#suspects.delete(oldest);
  }

  #isSuspect(key: string, item: Item): boolean {
    return (
      this.#suspects.size > 0 && (this.#suspects.get(this.#nameOf(key, item)) ?? 0) > this.#options.clock.elapsed()
    );
  }

  #isNextAlone(key: string, { waiting: [next] }: KeyQueue<Item, Value>): boolean {
    return next !== undefined && this.#isSuspect(key, next.item);
  }

  #nameOf(key: string, item: Item): string {
    return JSON.stringify([key, this.#options.nameOf?.(item) ?? ""]);
  }

  #reset(key: string, queue: KeyQueue<Item, Value>): void {
    stopTimer(queue);
    this.#queues.delete(key);
  }
}

function mayCall({ calls, slowCalls }: { calls: number; slowCalls: number }, isAlone: boolean): boolean {
  return slowCalls < MAX_SLOW_CALLS && calls < (isAlone ? MAX_CALLS_ALONE : MAX_CALLS);
}

function stopTimer(queue: { timer: Timer | null }): void {
  queue.timer?.cancel();
  queue.timer = null;
}
