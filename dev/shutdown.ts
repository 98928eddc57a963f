/** Ends what was started, in the reverse order, once, whatever the reason: a signal, a failure, or a parent that is gone. */
export class Shutdown {
  readonly #steps: (() => unknown)[] = [];
  readonly #abort = new AbortController();
  #ending: Promise<never> | null = null;

  constructor() {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void this.end(0));
    // setup.mjs holds the other end of this channel: without it, nobody is left who could stop us.
    if (process.connected) process.on("disconnect", () => void this.end(1));
  }

  /** Aborted when the end begins. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Adds what must happen at the end. */
  onStop(step: () => unknown) {
    this.#steps.push(step);
  }

  end(code: number): Promise<never> {
    this.#ending ??= this.#run(code);
    return this.#ending;
  }

  /** Ends with a reason and what may explain it. Says nothing when the end has begun already. */
  async fail(error: unknown, log: string): Promise<void> {
    if (this.#ending) return;
    if (log) console.error(`\nThe end of the worker log:\n${log}\n`);
    console.error(error instanceof Error ? error.message : String(error));
    await this.end(1);
  }

  /** Ends at once, before anything was started. */
  refuse(message: string): never {
    console.error(message);
    process.exit(1);
  }

  async #run(code: number): Promise<never> {
    this.#abort.abort();
    for (const step of this.#steps.toReversed()) {
      await Promise.resolve()
        .then(step)
        .catch((error) => console.error(`While stopping: ${error}`));
    }
    process.exit(code);
  }
}
