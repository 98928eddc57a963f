/** A host that can be killed and started again on the same state directory, as `npm start` does. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Seeded } from "../../../dev/seed-workspace.ts";
import type { Distance } from "../../support/distance/rules.ts";
import { type Host, type HostOptions, startHost } from "./hosts/start.ts";
import type { Server } from "./sending-client.ts";

const MINUTE_MS = 60_000;
/** Time in which the leases of a host that was killed are released where bindings fail: about half of the tries fail. */
const RELEASE_WITHIN_MS = 60_000;

export class RestartableHost implements Server {
  #options: HostOptions;
  readonly #stopped = new AbortController();
  #host: Host | null = null;
  #url: PromiseWithResolvers<string> = Promise.withResolvers();
  /** API keys of the seeded workspaces. */
  apiKeys: string[] = [];
  /** Number of kills. */
  kills = 0;
  /** Time when the last start was ready, in milliseconds since 1970. */
  startedAt = 0;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Starts the host for the first time, seeds a workspace per domain, and runs the cron trigger every minute from now on. */
  async startAndSeed(...domains: string[]): Promise<Seeded[]> {
    this.#host = await startHost(this.#options);
    const seeds = await this.seed(...domains);
    void this.#runCrons();
    return seeds;
  }

  /** Seeds a workspace per domain. */
  async seed(...domains: string[]): Promise<Seeded[]> {
    if (!this.#host) throw new Error("the host is not running");
    const seeds: Seeded[] = [];
    for (const domain of domains)
      seeds.push(await this.#host.seed({ name: "Kill", email: `owner@${domain}`, domain, mailboxLocalPart: "hello" }));
    this.apiKeys.push(...seeds.map(({ apiKey }) => apiKey));
    return seeds;
  }

  /** Starts the host if none runs and releases waiting callers. `restarted` resolves when the old host's leases are released. */
  async start(): Promise<{ restarted: Promise<void> }> {
    const launchedAt = Date.now();
    this.#host ??= await startHost(this.#options);
    this.startedAt = Date.now();
    this.#url.resolve(this.#host.url);
    return { restarted: this.#releaseLeases(this.#host, launchedAt) };
  }

  /** Sets how far away the bindings of the next host are. */
  moveAway(distance: Partial<Distance>): void {
    this.#options = { ...this.#options, distance };
  }

  url(): Promise<string> {
    return this.#url.promise;
  }

  /** Kills Node and workerd with SIGKILL. Callers wait until the next start. */
  async kill(): Promise<void> {
    this.#url = Promise.withResolvers();
    this.kills += 1;
    await this.#host?.kill();
    this.#host = null;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#host?.stop();
  }

  /** Runs one SQL statement on both mail databases of the host. */
  async sql<Row>(sql: string, ...params: unknown[]): Promise<{ results: Row[]; changes: number }> {
    if (!this.#host) throw new Error("the host is not running");
    return this.#host.sql<Row>(sql, ...params);
  }

  /** Runs the cron trigger of each minute. */
  async runCron(): Promise<void> {
    await this.#host?.scheduled("* * * * *");
  }

  /** Releases the leases of the host before. Repeats that where bindings fail: only a local host is told that it started again. */
  async #releaseLeases(host: Host, launchedAt: number): Promise<void> {
    for (;;) {
      try {
        return await host.scheduled("restart", launchedAt);
      } catch (error) {
        const isInTime = Date.now() < launchedAt + RELEASE_WITHIN_MS;
        if (!this.#options.distance || this.#host !== host || !isInTime) throw error;
      }
    }
  }

  async #runCrons(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await sleep(MINUTE_MS - (Date.now() % MINUTE_MS), undefined, { signal }).catch(() => {});
      if (!signal.aborted) await this.runCron().catch(() => {});
    }
  }
}
