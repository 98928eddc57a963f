/** Events by time: a binary heap. Those of one time come in the order in which they were added. */
export class EventQueue<Value> {
  readonly #heap: { at: number; n: number; value: Value }[] = [];
  #added = 0;

  nextAt(): number | undefined {
    return this.#heap[0]?.at;
  }

  add(at: number, value: Value): void {
    const heap = this.#heap;
    heap.push({ at, n: this.#added++, value });
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!this.#isBefore(child, parent)) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  take(): { at: number; value: Value } | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    heap[0] = last;
    for (let parent = 0; ; ) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2];
      if (left >= heap.length) return first;
      const child = right < heap.length && this.#isBefore(right, left) ? right : left;
      if (!this.#isBefore(child, parent)) return first;
      this.#swap(child, parent);
      parent = child;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    return a !== undefined && b !== undefined && (a.at < b.at || (a.at === b.at && a.n < b.n));
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a && b) [this.#heap[one], this.#heap[other]] = [b, a];
  }
}
