/** Makes the databases of a running host fail, one at a time or several, by locking their files from outside. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const PAUSE_MS = 60;
const OUTAGE_MS = 40;
/** Share of outages that hit a second database at the same time. */
const TWO_AT_ONCE = 0.3;

export class DatabaseOutages {
  readonly #stateDir: string;
  readonly #random: () => number;
  #isStopped = false;
  #done: Promise<void> = Promise.resolve();
  /** Outages by file: every database must have had some. */
  readonly counts = new Map<string, number>();

  /** `random` decides which databases fail, when and for how long: writes are refused for up to 40 ms. */
  constructor(stateDir: string, random: () => number) {
    this.#stateDir = stateDir;
    this.#random = random;
  }

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
  }

  async #run(): Promise<void> {
    const files = await findDatabases(this.#stateDir);
    for (const file of files) this.counts.set(file, 0);
    while (!this.#isStopped) {
      await sleep(this.#random() * PAUSE_MS);
      const first = Math.floor(this.#random() * files.length);
      const second = this.#random() < TWO_AT_ONCE ? (first + 1) % files.length : first;
      const chosen = new Set([first, second].flatMap((at) => files[at] ?? []));
      const unlocks = [...chosen].map((file) => this.#lock(file));
      await sleep(this.#random() * OUTAGE_MS);
      for (const unlock of unlocks) unlock();
    }
  }

  /** Refuses writes of the host until the returned function is called. Does nothing while the host writes. */
  #lock(file: string): () => void {
    const database = new DatabaseSync(file);
    try {
      database.exec("BEGIN EXCLUSIVE");
    } catch {
      database.close();
      return () => {};
    }
    this.counts.set(file, (this.counts.get(file) ?? 0) + 1);
    return () => {
      database.exec("ROLLBACK");
      database.close();
    };
  }
}

async function findDatabases(stateDir: string): Promise<string[]> {
  const names = await readdir(stateDir, { recursive: true });
  return names
    .filter((name) => /D1DatabaseObject[/\\][0-9a-f]{64}\.sqlite$/.test(name))
    .map((name) => path.join(stateDir, name))
    .sort();
}
