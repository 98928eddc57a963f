/** The deployment that the bench measures: one workspace with an API key, and the control endpoints of bench/worker.ts. */
import type { Seeded } from "../dev/seed-workspace.ts";
import { type Host, startHost } from "./host/in-process.ts";
import type { Readings } from "./meter.ts";
import type { TracedRequest } from "./trace.ts";

const MINUTE_MS = 60_000;
const DRAIN_MS = 5 * MINUTE_MS;
export const MASTER_KEYS = `1:${Buffer.alloc(32, 7).toString("base64")}`;

export class Deployment {
  readonly host: Host;
  readonly seed: Seeded;

  constructor(host: Host, seed: Seeded) {
    this.host = host;
    this.seed = seed;
  }

  static async start(egressUrl: string): Promise<Deployment> {
    const host = await startHost("bench/worker.ts", { MASTER_KEYS, EGRESS_URL: egressUrl });
    const response = await fetch(`${host.url}/bench/seed`, {
      method: "POST",
      body: JSON.stringify({ domain: "bench.example" }),
    });
    return new Deployment(host, (await response.json()) as Seeded);
  }

  /** Calls a control endpoint. Throws unless it answers 2xx. */
  async control(name: string, body?: unknown): Promise<Response> {
    const response = await fetch(`${this.host.url}/bench/${name}`, {
      method: "POST",
      body: JSON.stringify(body ?? {}),
    });
    if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
    return response;
  }

  /** Returns the counts since the last call. */
  async readings(): Promise<Readings> {
    return (await this.control("readings")).json() as Promise<Readings>;
  }

  /** Runs one SQL statement on the mail database of the deployment's workspace. */
  async sql<Row>(sql: string, ...params: unknown[]): Promise<Row[]> {
    const { results } = (await (await this.control("sql", { sql, params, shard: this.seed.mailShard })).json()) as {
      results: Row[];
    };
    return results;
  }

  /** Calls the API. Throws unless it answers 2xx. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(`${this.host.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.seed.apiKey}`, "Content-Type": "application/json", ...headers },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  /** Calls the API and returns the order of its binding calls. */
  async trace(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TracedRequest> {
    await (await this.call(method, path, body, { ...headers, "X-Bench-Trace": "1" })).arrayBuffer();
    return (await this.control("trace")).json() as Promise<TracedRequest>;
  }

  /** Returns a send request with this text. */
  mail(text: string) {
    return {
      from_: { email: this.seed.mailbox, name: "Bench" },
      to: [{ email: "friend@example.org" }],
      subject: "A measured mail",
      text,
    };
  }

  /** Waits until the outbox has no more delivery rows, and runs the cron trigger each minute. Throws after 5 minutes. */
  async waitUntilDrained(): Promise<void> {
    const end = Date.now() + DRAIN_MS;
    let nextCron = Date.now() + MINUTE_MS;
    for (;;) {
      if (Date.now() > nextCron) {
        await this.host.scheduled("* * * * *");
        nextCron += MINUTE_MS;
      }
      const [row] = await this.sql<{ rows: number }>("SELECT count(*) AS rows FROM outbox WHERE kind = 'deliver'");
      if (row?.rows === 0) return;
      if (Date.now() > end)
        throw new Error(`the outbox still has ${row?.rows} delivery rows after ${DRAIN_MS / 1000} seconds`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  stop(): Promise<void> {
    return this.host.stop();
  }
}
