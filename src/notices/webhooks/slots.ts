/** A bounded number of tasks at once, shared fairly between groups: a free slot goes to the group with the fewest tasks. */
export class Slots {
  #free: number;
  readonly #groups = new Map<string, { running: number; waiting: (() => void)[] }>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs a task of a group when there is a slot for it; those of a group start in order. */
  async use<Result>(group: string, task: () => Promise<Result>): Promise<Result> {
    const of = this.#groups.get(group) ?? { running: 0, waiting: [] };
    this.#groups.set(group, of);
    await new Promise<void>((resolve) => {
      of.waiting.push(resolve);
      // Later, so that the groups of one tick share the slots.
      queueMicrotask(() => this.#start());
    });
    try {
      return await task();
    } finally {
      of.running -= 1;
      this.#free += 1;
      this.#start();
    }
  }

  #start(): void {
    while (this.#free > 0) {
      const waiting = [...this.#groups.values()].filter((group) => group.waiting.length > 0);
      const [next] = waiting.toSorted((a, b) => a.running - b.running);
      const resolve = next?.waiting.shift();
      if (!next || !resolve) return;
      next.running += 1;
      this.#free -= 1;
      resolve();
    }
  }
}
