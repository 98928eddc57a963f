/**
 * Runs the Worker in separate processes that tests can kill: Node with Miniflare, and workerd. All state is in the state
 * directory, and the next start on the same directory continues with it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Seeded, SeedInput } from "../../../../dev/seed-workspace.ts";
import { type Distance, distanceVariables } from "../../../support/distance/rules.ts";
import { bundleOnce, distantBundleOnce, ROOT } from "./bundle.ts";
import type { Command, HostProcessOptions, Reply } from "./messages.ts";

export interface HostOptions {
  stateDir: string;
  port: number;
  /** Variables and secrets of the Worker: MASTER_KEYS, EGRESS_URL. */
  vars: Record<string, string>;
  /** Overrides `max_batch_timeout` of every queue, in seconds. */
  queueSeconds?: number;
  /** How far away the bindings are; those of the machine itself without it. */
  distance?: Partial<Distance>;
}

const HOST = "127.0.0.1";
const READY_MS = 60_000;
const STOP_MS = 10_000;

/** Starts the Worker and resolves when it serves requests. Its output is appended to `host.log` in the state directory. */
export async function startHost({ stateDir, port, vars, queueSeconds, distance }: HostOptions): Promise<Host> {
  const bundle = await (distance ? distantBundleOnce() : bundleOnce());
  await mkdir(stateDir, { recursive: true });
  const log = await open(path.join(stateDir, "host.log"), "a");
  const all = distance ? { ...vars, ...distanceVariables(distance) } : vars;
  const options: HostProcessOptions = { bundle, stateDir, port, vars: all, queueSeconds: queueSeconds ?? null };
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", path.join(import.meta.dirname, "process.ts"), JSON.stringify(options)],
    {
      cwd: ROOT,
      // Own process group, so that a SIGKILL to the group reaches all its processes.
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
  readonly #exited: Promise<unknown>;
  readonly #pending = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  #lastId = 0;
  #ready: () => void = () => {};
  readonly #serving = new Promise<void>((resolve) => {
    this.#ready = resolve;
  });

  constructor(child: ChildProcess, port: number, stateDir: string) {
    this.#child = child;
    this.#port = port;
    this.#stateDir = stateDir;
    this.pid = child.pid ?? 0;
    this.url = `http://${HOST}:${port}`;
    this.#exited = once(child, "exit").then(() => this.#rejectAll());
    child.on("message", (reply: Reply) => this.#onReply(reply));
    child.on("error", () => {});
  }

  /** Resolves when the host serves requests. Throws when it exits or is not ready after 60 seconds. */
  async ready(): Promise<void> {
    const failed = (reason: string) => () =>
      Promise.reject(new Error(`the host ${reason}; see ${this.#stateDir}/host.log`));
    const timeout = new AbortController();
    await Promise.race([
      this.#serving,
      this.#exited.then(failed("exited while it started")),
      sleep(READY_MS, undefined, { signal: timeout.signal, ref: false }).then(failed("is not ready"), () => {}),
    ]).finally(() => timeout.abort());
  }

  /** Sends SIGKILL to Node and workerd, and resolves when both have exited. */
  async kill(): Promise<void> {
    try {
      process.kill(-this.pid, "SIGKILL");
    } catch {
      // The group has no process.
    }
    await this.#exited;
    await this.#waitUntilPortIsFree();
  }

  /** Stops Miniflare, then kills what still runs after 10 seconds. */
  async stop(): Promise<void> {
    await Promise.race([this.#request({ command: "stop" }).catch(() => {}), sleep(STOP_MS, undefined, { ref: false })]);
    await this.kill();
  }

  /** Runs the scheduled handler with the scheduled time `time` (milliseconds since 1970), and resolves when it has finished. */
  async scheduled(cron: string, time = Date.now()): Promise<void> {
    const query = new URLSearchParams({ cron, time: String(time) });
    const response = await fetch(`${this.url}/cdn-cgi/local/scheduled?${query}`);
    const text = await response.text();
    if (!response.ok)
      throw new Error(`the scheduled handler responded with ${response.status} for the cron "${cron}": ${text}`);
  }

  /** Runs one statement on both mail databases and returns the rows of both. */
  async sql<Row>(sql: string, ...params: unknown[]): Promise<{ results: Row[]; changes: number }> {
    return this.#request({ command: "sql", sql, params });
  }

  /** Creates a workspace that can send. */
  seed(input: SeedInput): Promise<Seeded> {
    return this.#request({ command: "seed", input });
  }

  #request<Result>(command: Command): Promise<Result> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      if (!this.#child.connected) return this.#rejectAll();
      this.#child.send({ id, ...command }, (error) => error && this.#rejectAll());
    });
  }

  #onReply(reply: Reply) {
    if ("ready" in reply) return this.#ready();
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ("error" in reply) pending?.reject(new Error(reply.error));
    else pending?.resolve(reply.result as never);
  }

  #rejectAll() {
    for (const { reject } of this.#pending.values()) reject(new Error("the host has exited"));
    this.#pending.clear();
  }

  /** Waits until workerd has exited. It is no child of this process, so only its port shows that. */
  async #waitUntilPortIsFree(): Promise<void> {
    for (const deadline = Date.now() + STOP_MS; await isListening(this.#port); await sleep(5)) {
      if (Date.now() > deadline) throw new Error(`port ${this.#port} is still in use after the kill`);
    }
  }
}

async function isListening(port: number): Promise<boolean> {
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
