import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HOST, type Layout, ROOT } from "../layout.ts";
import { wranglerEnvironment } from "./environment.ts";
import type { ServeOptions } from "./serve.ts";

/** One run of serve.ts. */
export interface Worker {
  /** Resolves when the Worker returns a request. Throws when it exits before that. */
  waitUntilReady(): Promise<void>;
  /** Resolves when wrangler has exited. */
  ended: Promise<unknown>;
  stop(): Promise<void>;
}

const SUPERVISE = path.join(import.meta.dirname, "supervise.ts");
const SERVE = path.join(import.meta.dirname, "serve.ts");
const READY_MS = 90_000;
const STOP_MS = 8_000;
const KILL_MS = 3_000;
const POLL_MS = 100;

/**
 * Starts serve.ts under supervise.ts, with its output appended to the worker log.
 */
export async function launchWorker(
  layout: Layout,
  authorityFile: string,
  { clockOffset, isDeveloping }: Pick<ServeOptions, "clockOffset" | "isDeveloping">,
): Promise<Worker> {
  const log = await open(layout.workerLog, "a");
  const { persistDir, workerEnvFile: envFile } = layout;
  const options: ServeOptions = { port: layout.ports.api, persistDir, envFile, clockOffset, isDeveloping };
  const WRANGLER_LOG = isDeveloping ? "log" : "warn";
  const child = spawn(process.execPath, [SUPERVISE, process.execPath, SERVE, JSON.stringify(options)], {
    cwd: ROOT,
    // Own process group: Ctrl-C in the terminal reaches only this process, which stops the Worker in order.
    detached: true,
    stdio: ["pipe", log.fd, log.fd],
    env: { ...process.env, ...wranglerEnvironment(layout), WRANGLER_LOG, NODE_EXTRA_CA_CERTS: authorityFile },
  });
  await log.close();
  const ended = once(child, "exit").then(() => killGroup(child));
  return { waitUntilReady: () => waitUntilReady(layout, ended), ended, stop: () => stopWorker(child, ended) };
}

/** Polls /health. Before the Worker's code runs, wrangler holds the request or refuses the connection. */
async function waitUntilReady(layout: Layout, ended: Promise<unknown>) {
  let alive = true;
  void ended.then(() => {
    alive = false;
  });
  for (const deadline = Date.now() + READY_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    if (await responses(`http://${HOST}:${layout.ports.api}/health`)) return;
    if (!alive) throw new Error("The Worker exited while it started.");
  }
  throw new Error(`The Worker did not respond within ${READY_MS / 1000} seconds.`);
}

async function responses(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function stopWorker(child: ChildProcess, ended: Promise<unknown>) {
  child.kill("SIGTERM");
  await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
  for (const deadline = Date.now() + KILL_MS; killGroup(child) && Date.now() < deadline; ) await sleep(20);
}

/** Kills the process group. Returns false when no process is left. supervise.ts does this too, unless it got a SIGKILL. */
function killGroup(child: ChildProcess): boolean {
  try {
    return child.pid ? process.kill(-child.pid, "SIGKILL") : false;
  } catch {
    return false;
  }
}
