/**
 * A host of its own for the Worker, in processes that can be killed: Node with Miniflare, and its workerd.
 * Everything it keeps is in its state directory, and the next start on the same directory goes on from there.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Seeded, SeedInput } from "../../dev/seed-workspace.ts";
import { bundleOnce, ROOT } from "./bundle.ts";
import type { Command, HostProcessOptions, Reply } from "./messages.ts";

export { removeBundle } from "./bundle.ts";

export interface HostOptions {
  stateDir: string;
  port: number;
  /** Variables and secrets of the Worker: MASTER_KEYS, EGRESS_URL. */
  vars: Record<string, string>;
  /** Seconds a queue gathers messages before it hands them over, when not what wrangler.toml says. */
  queueSeconds?: number;
}

const HOST = "127.0.0.1";
const READY_MS = 60_000;
const GONE_MS = 10_000;

/** Starts the Worker and resolves once it serves. Its output goes to `host.log` in the state directory. */
export async function startHost({ stateDir, port, vars, queueSeconds }: HostOptions): Promise<Host> {
  const bundle = await bundleOnce();
  await mkdir(stateDir, { recursive: true });
  const log = await open(path.join(stateDir, "host.log"), "a");
  const options: HostProcessOptions = { bundle, stateDir, port, vars, queueSeconds: queueSeconds ?? null };
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", path.join(import.meta.dirname, "process.ts"), JSON.stringify(options)],
    {
      cwd: ROOT,
      // A group of its own: a kill of the group leaves nothing of it alive.
      detached: true,
      stdio: ["ignore", log.fd, log.fd, "ipc"],
      env: { ...process.env, NODE_COMPILE_CACHE: bundle.compileCache },
    },
  );
  await log.close();
  const host = new Host(child, port, stateDir);
  await host.ready();
  return host;
}

export class Host {
  readonly url: string;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #stateDir: string;
  readonly #ended: Promise<unknown>;
  readonly #waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  #asked = 0;
  #ready: () => void = () => {};
  readonly #untilReady = new Promise<void>((resolve) => {
    this.#ready = resolve;
  });

  constructor(child: ChildProcess, port: number, stateDir: string) {
    this.#child = child;
    this.#port = port;
    this.#stateDir = stateDir;
    this.pid = child.pid ?? 0;
    this.url = `http://${HOST}:${port}`;
    this.#ended = once(child, "exit").then(() => this.#refuseAll());
    child.on("message", (reply: Reply) => this.#take(reply));
    child.on("error", () => {});
  }

  /** Resolves once the host serves; fails when it ends or takes too long. */
  async ready(): Promise<void> {
    const failed = (why: string) => () => Promise.reject(new Error(`the host ${why}; see ${this.#stateDir}/host.log`));
    const late = new AbortController();
    await Promise.race([
      this.#untilReady,
      this.#ended.then(failed("ended while it started")),
      sleep(READY_MS, undefined, { signal: late.signal, ref: false }).then(failed("does not get ready"), () => {}),
    ]).finally(() => late.abort());
  }

  /** Kills Node and workerd where they stand, and resolves once neither is there any more. */
  async kill9(): Promise<void> {
    try {
      process.kill(-this.pid, "SIGKILL");
    } catch {
      // Nobody is left in it.
    }
    await this.#ended;
    await this.#portFree();
  }

  /** Ends in order. */
  async stop(): Promise<void> {
    await Promise.race([this.#ask({ ask: "stop" }).catch(() => {}), sleep(GONE_MS, undefined, { ref: false })]);
    await this.kill9();
  }

  /** Fires the scheduled handler as of `time`, and resolves when it is through. */
  async scheduled(cron: string, time = Date.now()): Promise<void> {
    const query = new URLSearchParams({ cron, time: String(time) });
    const response = await fetch(`${this.url}/cdn-cgi/local/scheduled?${query}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`the scheduled handler answered ${response.status} to "${cron}": ${text}`);
  }

  /** Runs one statement on the Worker's database: an operator's look, or hand, behind the API. */
  async sql<Row>(sql: string, ...params: unknown[]): Promise<{ results: Row[]; changes: number }> {
    return this.#ask({ ask: "sql", sql, params });
  }

  /** Makes a workspace that can send. */
  seed(input: SeedInput): Promise<Seeded> {
    return this.#ask({ ask: "seed", input });
  }

  #ask<Result>(ask: Command): Promise<Result> {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      if (!this.#child.connected) return this.#refuseAll();
      this.#child.send({ id, ...ask }, (error) => error && this.#refuseAll());
    });
  }

  #take(reply: Reply) {
    if ("ready" in reply) return this.#ready();
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ("error" in reply) waiting?.reject(new Error(reply.error));
    else waiting?.resolve(reply.result as never);
  }

  #refuseAll() {
    for (const { reject } of this.#waiting.values()) reject(new Error("the host is gone"));
    this.#waiting.clear();
  }

  /** workerd is no child of ours, so its end shows in its port alone. */
  async #portFree(): Promise<void> {
    for (const deadline = Date.now() + GONE_MS; await listens(this.#port); await sleep(5)) {
      if (Date.now() > deadline) throw new Error(`port ${this.#port} is still in use after the kill`);
    }
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = net.connect(port, HOST);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
