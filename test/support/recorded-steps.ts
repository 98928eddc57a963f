/** The calls of one step by name, with the rows and bytes of each. */
export interface RecordedStep {
  calls: { name: string; rows: number; bytes: number }[];
}

/**
 * Records the calls that work makes between two turns of the event loop. Without a turn of its own, long work is one step:
 * the timers of this loop, like the requests of others, wait until it ends.
 */
export class StepRecorder {
  readonly steps: RecordedStep[] = [{ calls: [] }];
  #isOver = false;

  add(name: string, rows: number, bytes: number): void {
    this.steps.at(-1)?.calls.push({ name, rows, bytes });
  }

  /** Runs work and returns its result. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const turns = this.#takeTurns();
    try {
      return await work();
    } finally {
      this.#isOver = true;
      await turns;
    }
  }

  /** Returns the most rows and the most bytes of the calls of one step that have this name. */
  largest(name: string): { rows: number; bytes: number } {
    const sums = this.steps.map(({ calls }) => {
      const named = calls.filter((call) => call.name === name);
      return {
        rows: named.reduce((sum, { rows }) => sum + rows, 0),
        bytes: named.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    });
    return {
      rows: Math.max(...sums.map(({ rows }) => rows)),
      bytes: Math.max(...sums.map(({ bytes }) => bytes)),
    };
  }

  /** Returns the most rows and the most bytes of a single call that has this name. */
  largestCall(name: string): { rows: number; bytes: number } {
    const calls = this.steps.flatMap((step) => step.calls.filter((call) => call.name === name));
    return {
      rows: Math.max(...calls.map(({ rows }) => rows)),
      bytes: Math.max(...calls.map(({ bytes }) => bytes)),
    };
  }

  async #takeTurns(): Promise<void> {
    while (!this.#isOver) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      this.steps.push({ calls: [] });
    }
  }
}
