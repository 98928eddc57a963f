/** Limits the bytes that concurrent work holds: work waits until enough are free, in the order of its requests. */
export class ByteBudget {
  readonly #total: number;
  #free: number;
  readonly #waiting: { bytes: number; grant: () => void }[] = [];

  constructor(total: number) {
    this.#total = total;
    this.#free = total;
  }

  /** Resolves when `bytes` are free and takes them. More than the total counts as the total. */
  acquire(bytes: number): Promise<void> {
    return new Promise((grant) => {
      this.#waiting.push({ bytes: Math.min(bytes, this.#total), grant });
      this.#grantNext();
    });
  }

  /** Returns the bytes of one acquire. */
  free(bytes: number): void {
    this.#free += Math.min(bytes, this.#total);
    this.#grantNext();
  }

  #grantNext(): void {
    for (let [next] = this.#waiting; next !== undefined && next.bytes <= this.#free; [next] = this.#waiting) {
      this.#waiting.shift();
      this.#free -= next.bytes;
      next.grant();
    }
  }
}
