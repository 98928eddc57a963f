import { readOffset } from "../clock/offset.ts";
import type { Layout } from "../layout.ts";
import { announceRestart, runEachCron } from "../scheduled.ts";
import { watchForCrashes } from "./crash-watch.ts";
import { launchWorker, type Worker } from "./launch.ts";

const MAX_CRASHES = 8;
const CRASH_WINDOW_MS = 60_000;

/**
 * Runs the Worker and restarts it when workerd or wrangler is killed. Miniflare also restarts workerd, but wrangler may
 * hang afterwards and a second workerd may still run. Only a complete restart guarantees that no old process holds a lease.
 */
export class RestartingWorker {
  readonly #layout: Layout;
  readonly #authorityFile: string;
  readonly #isDeveloping: boolean;
  readonly #crashes: number[] = [];
  #worker: Worker | null = null;
  #stopped = false;
  #isClockMoved = false;

  /** `isDeveloping`: as in ServeOptions. */
  constructor(layout: Layout, authorityFile: string, isDeveloping: boolean) {
    this.#layout = layout;
    this.#authorityFile = authorityFile;
    this.#isDeveloping = isDeveloping;
  }

  /** Resolves when the Worker is ready for the first time. Calls `onGiveUp` when a later restart fails permanently. */
  async start(onGiveUp: (error: unknown) => void): Promise<void> {
    const first = await this.#launch();
    void this.#restartOnExit(first).catch((error) => !this.#stopped && onGiveUp(error));
  }

  /** Starts the Worker anew with the clock as it was moved, and then runs its scheduled work. */
  async restart() {
    this.#isClockMoved = true;
    await this.#worker?.stop();
  }

  async stop() {
    this.#stopped = true;
    await this.#worker?.stop();
  }

  async #restartOnExit(first: Worker) {
    for (let worker = first; ; worker = await this.#relaunch()) {
      if (worker !== first && !this.#stopped) console.log("The Worker was restarted.");
      await worker.ended;
      if (this.#stopped) return;
      console.log(
        this.#isClockMoved
          ? "The clock was moved; restarting the Worker ..."
          : "The Workers runtime was killed or crashed; restarting it ...",
      );
    }
  }

  async #relaunch(): Promise<Worker> {
    for (;;) {
      this.#crashes.push(Date.now());
      try {
        return await this.#launch();
      } catch (error) {
        const recent = this.#crashes.filter((at) => at > Date.now() - CRASH_WINDOW_MS);
        if (this.#stopped || recent.length > MAX_CRASHES) throw error;
      }
    }
  }

  /** Starts the Worker and waits until it is ready. A crash of workerd stops all its processes. */
  async #launch(): Promise<Worker> {
    const clockOffset = await readOffset(this.#layout);
    const launchedAt = Date.now() + clockOffset;
    const isDeveloping = this.#isDeveloping;
    const worker = await launchWorker(this.#layout, this.#authorityFile, { clockOffset, isDeveloping });
    this.#worker = worker;
    const watcher = watchForCrashes(this.#layout.workerLog, () => void worker.stop());
    void worker.ended.then(() => watcher.close());
    try {
      await worker.waitUntilReady();
      await announceRestart(this.#layout, launchedAt);
      if (this.#isClockMoved) await runEachCron(this.#layout, launchedAt);
      this.#isClockMoved = false;
      return worker;
    } catch (error) {
      await worker.stop();
      throw error;
    }
  }
}
