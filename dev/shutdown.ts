/** Runs the stop steps once, in reverse order, on a signal, a failure or the exit of the parent process. */
export class Shutdown {
  readonly #steps: (() => unknown)[] = [];
  readonly #abort = new AbortController();
  #ending: Promise<never> | null = null;

  constructor() {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void this.#stop());
    // setup.mjs holds the other end of this channel. When it exits, no terminal can stop this process.
    if (process.connected) process.on("disconnect", () => void this.end(1));
  }

  /** Aborts when the shutdown starts. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Adds a stop step. */
  onStop(step: () => unknown) {
    this.#steps.push(step);
  }

  /** Runs the stop steps and exits with `code`. */
  end(code: number): Promise<never> {
    this.#ending ??= this.#run(code);
    return this.#ending;
  }

  /** Prints the end of the worker log and the error, then exits with 1. Does nothing when the shutdown has started. */
  async fail(error: unknown, log: string): Promise<void> {
    if (this.#ending) return;
    if (log) console.error(`\nThe end of the worker log:\n${log}\n`);
    console.error(error instanceof Error ? error.message : String(error));
    await this.end(1);
  }

  /** Prints a message and exits with 1, without running the stop steps. */
  refuse(message: string): never {
    console.error(message);
    process.exit(1);
  }

  /** Stops because of a signal, and says so. */
  async #stop(): Promise<void> {
    if (this.#ending) return;
    console.log("\nStopping ...");
    // The steps run in reverse order, so this one runs last.
    this.#steps.unshift(() => console.log("Stopped. The next start continues with the same state."));
    await this.end(0);
  }

  async #run(code: number): Promise<never> {
    this.#abort.abort();
    for (const step of this.#steps.toReversed()) {
      await Promise.resolve()
        .then(step)
        .catch((error) => console.error(`A stop step failed: ${error}`));
    }
    process.exit(code);
  }
}
