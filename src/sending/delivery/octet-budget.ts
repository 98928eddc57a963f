/** Limits the octets that concurrent work holds: work waits until enough are free, in the order of its requests. */
export class OctetBudget {
  readonly #total: number;
  #free: number;
  readonly #waiting: { octets: number; grant: () => void }[] = [];

  constructor(total: number) {
    this.#total = total;
    this.#free = total;
  }

  /** Resolves when `octets` are free and takes them. More than the total counts as the total. */
  acquire(octets: number): Promise<void> {
    return new Promise((grant) => {
      this.#waiting.push({ octets: Math.min(octets, this.#total), grant });
      this.#grantNext();
    });
  }

  /** Returns the octets of one acquire. */
  release(octets: number): void {
    this.#free += Math.min(octets, this.#total);
    this.#grantNext();
  }

  #grantNext(): void {
    for (let [next] = this.#waiting; next !== undefined && next.octets <= this.#free; [next] = this.#waiting) {
      this.#waiting.shift();
      this.#free -= next.octets;
      next.grant();
    }
  }
}
