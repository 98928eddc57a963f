import type { Layout } from "../layout.ts";
import { announceRestart } from "../scheduled.ts";
import { watchForCrashes } from "./crash-watch.ts";
import { launchWorker, type Worker } from "./launch.ts";

const CRASHES_ALLOWED = 8;
const WITHIN_MS = 60_000;

/**
 * Keeps the Worker running, and starts it anew when workerd or wrangler is killed. Miniflare restarts a
 * workerd too, but wrangler may hang after that, and its other workerd may still be at work: only a
 * complete start makes it true that no process from before holds a lease.
 */
export class WorkerKeeper {
  readonly #layout: Layout;
  readonly #authorityFile: string;
  readonly #crashes: number[] = [];
  #worker: Worker | null = null;
  #stopped = false;

  constructor(layout: Layout, authorityFile: string) {
    this.#layout = layout;
    this.#authorityFile = authorityFile;
  }

  /** Resolves when the Worker is ready for the first time; fails if it does not get there. */
  async start(gaveUp: (error: unknown) => void): Promise<void> {
    const first = await this.#launch();
    void this.#keep(first).catch((error) => !this.#stopped && gaveUp(error));
  }

  async stop() {
    this.#stopped = true;
    await this.#worker?.stop();
  }

  async #keep(first: Worker) {
    for (let worker = first; ; worker = await this.#relaunch()) {
      if (worker !== first) console.log("The Worker is back.");
      await worker.ended;
      if (this.#stopped) return;
      console.log("The Workers runtime was killed or crashed; starting it again ...");
    }
  }

  async #relaunch(): Promise<Worker> {
    for (;;) {
      this.#crashes.push(Date.now());
      try {
        return await this.#launch();
      } catch (error) {
        const recent = this.#crashes.filter((at) => at > Date.now() - WITHIN_MS);
        if (this.#stopped || recent.length > CRASHES_ALLOWED) throw error;
      }
    }
  }

  /** A Worker that is ready. A crash of a part of it ends all of it, also while it starts. */
  async #launch(): Promise<Worker> {
    const launchedAt = Date.now();
    const worker = await launchWorker(this.#layout, this.#authorityFile);
    this.#worker = worker;
    const watcher = watchForCrashes(this.#layout.workerLog, () => void worker.stop());
    void worker.ended.then(() => watcher.close());
    try {
      await worker.untilReady();
      await announceRestart(this.#layout, launchedAt);
      return worker;
    } catch (error) {
      await worker.stop();
      throw error;
    }
  }
}
