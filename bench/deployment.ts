/** The deployment that the bench measures: one workspace with an API key, and the control endpoints of bench/worker.ts. */
import { newCfblKey } from "../dev/deploy/cfbl-key.ts";
import type { Seeded } from "../dev/seed-workspace.ts";
import { type Host, startHost } from "../test/host/support/hosts/in-process.ts";
import type { Traffic } from "../test/support/distance/remote.ts";
import type { Readings } from "../test/support/meter.ts";
import type { TracedRequest } from "../test/support/trace.ts";
import { workerdProcesses } from "./cpu.ts";
import type { Target } from "./load.ts";
import type { Sink } from "./sink.ts";
import { textOfSize } from "./text.ts";

/** The entry with metered bindings. */
const BENCH_WORKER = "bench/worker.ts";
/** The mail database of every measured workspace. */
const SHARD = 0;
const MINUTE_MS = 60_000;
const DRAIN_MS = 5 * MINUTE_MS;
const MASTER_KEYS = `1:${Buffer.alloc(32, 7).toString("base64")}`;

/** The state that the parts of one run share. */
export interface Bench {
  deployment: Deployment;
  /** The egress of the deployment. */
  sink: Sink;
}

export class Deployment {
  readonly host: Host;
  readonly seed: Seeded;
  /** Process id of workerd, for its CPU time. */
  readonly workerdPid: number;

  constructor(host: Host, seed: Seeded, workerdPid: number) {
    this.host = host;
    this.seed = seed;
    this.workerdPid = workerdPid;
  }

  /** Starts a deployment with these further variables. */
  static async start(egressUrl: string, variables: Record<string, string> = {}): Promise<Deployment> {
    const keys = { MASTER_KEYS, CFBL_DKIM_KEY: await newCfblKey(new Date()) };
    const before = await workerdProcesses();
    const host = await startHost(BENCH_WORKER, { ...keys, EGRESS_URL: egressUrl, ...variables });
    const workerdPid = (await workerdProcesses()).find((pid) => !before.includes(pid));
    if (workerdPid === undefined) throw new Error("the workerd process of this host was not found in /proc");
    return Deployment.#withWorkspace(host, workerdPid, 0);
  }

  static async #withWorkspace(host: Host, workerdPid: number, number: number): Promise<Deployment> {
    const response = await fetch(`${host.url}/bench/seed`, {
      method: "POST",
      body: JSON.stringify({ domain: `bench${number}.example`, shard: SHARD }),
    });
    return new Deployment(host, (await response.json()) as Seeded, workerdPid);
  }

  /**
   * Returns the same deployment with a workspace of its own, after all work that earlier parts of the bench left is done,
   * so that the counts of a part do not depend on the parts before it. `number` tells the workspaces apart.
   */
  async withFreshWorkspace(number: number): Promise<Deployment> {
    await this.waitUntilDrained();
    await this.host.scheduled("* * * * *");
    await this.sql(
      "UPDATE content_progress SET (n, swept_n) = (SELECT coalesce(max(n), 0), coalesce(max(n), 0) FROM emails)",
    );
    const fresh = await Deployment.#withWorkspace(this.host, this.workerdPid, number);
    await fresh.readings();
    return fresh;
  }

  /** Calls a control endpoint. Throws unless it responds with 2xx. */
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

  /** Returns what the distant bindings have done since the last call. */
  async traffic(): Promise<Traffic> {
    return (await this.control("traffic")).json() as Promise<Traffic>;
  }

  /** Runs one SQL statement on the mail database of the deployment's workspace. */
  async sql<Row>(sql: string, ...params: unknown[]): Promise<Row[]> {
    return (await this.#query<Row>(sql, params)).results;
  }

  /** Returns the size of that mail database in bytes, without its free pages. */
  async databaseSize(): Promise<number> {
    return (await this.#query("SELECT 1", [])).meta.size_after;
  }

  async #query<Row>(sql: string, params: unknown[]) {
    const response = await this.control("sql", { sql, params, shard: this.seed.mailShard });
    return (await response.json()) as { results: Row[]; meta: { size_after: number } };
  }

  /** Returns a request to the API with the key of the workspace. */
  request(method: string, path: string, body?: object): Request {
    return new Request(`${this.host.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.seed.apiKey}`, "Content-Type": "application/json" },
      body: body ? JSON.stringify(body) : null,
    });
  }

  /** Calls the API. Throws unless it responds with 2xx. */
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
    return this.traced();
  }

  /** Returns the binding calls of the last request or run that was traced. */
  async traced(): Promise<TracedRequest> {
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

  /** Returns the deployment as a target of single emails with a text of this size, which arrive at its egress. */
  target(egress: Sink, bytes: number): Target {
    const body = JSON.stringify(this.mail(textOfSize(bytes)));
    return {
      sink: egress,
      send: async () => void (await (await this.call("POST", "/v1/emails/", body)).arrayBuffer()),
      waitUntilDrained: () => this.waitUntilDrained(),
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
