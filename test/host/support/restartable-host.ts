/** A host that is killed and comes back on the same state, as the machine under `npm start` would bring it back. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Host, type HostOptions, startHost } from "../../../bench/host/start.ts";
import type { Seeded } from "../../../dev/seed-workspace.ts";
import type { Server } from "./sending-client.ts";

const MINUTE_MS = 60_000;

export class RestartableHost implements Server {
  readonly #options: HostOptions;
  readonly #ended = new AbortController();
  #host: Host | null = null;
  #up: PromiseWithResolvers<string> = Promise.withResolvers();
  apiKey = "";
  /** Kills so far. */
  kills = 0;
  /** When the last start was ready, in milliseconds since 1970. */
  startedAt = 0;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Migrates, seeds, serves; from now on the minute ticks. */
  async startAndSeed(domain: string): Promise<Seeded> {
    this.#host = await startHost(this.#options);
    const seed = await this.#host.seed({ name: "Kill", email: `owner@${domain}`, domain, mailboxLocalPart: "hello" });
    this.apiKey = seed.apiKey;
    void this.#runCrons();
    return seed;
  }

  /** Starts again when nothing runs, and lets the callers in. Resolves to the handler that frees the dead one's leases. */
  async start(): Promise<{ restarted: Promise<void> }> {
    const launchedAt = Date.now();
    this.#host ??= await startHost(this.#options);
    this.startedAt = Date.now();
    this.#up.resolve(this.#host.url);
    return { restarted: this.#host.scheduled("restart", launchedAt) };
  }

  url(): Promise<string> {
    return this.#up.promise;
  }

  /** kill -9, Node and workerd. Callers wait from now on. */
  async kill(): Promise<void> {
    this.#up = Promise.withResolvers();
    this.kills += 1;
    await this.#host?.kill9();
    this.#host = null;
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#host?.stop();
  }

  /** SQL behind the API: an operator's look, or hand. */
  async sql<Row>(sql: string, ...params: unknown[]): Promise<{ results: Row[]; changes: number }> {
    if (!this.#host) throw new Error("the host is down");
    return this.#host.sql<Row>(sql, ...params);
  }

  /** What the ticker does each minute. */
  async runCron(): Promise<void> {
    await this.#host?.scheduled("* * * * *");
  }

  async #runCrons(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      await sleep(MINUTE_MS - (Date.now() % MINUTE_MS), undefined, { signal }).catch(() => {});
      if (!signal.aborted) await this.runCron().catch(() => {});
    }
  }
}
