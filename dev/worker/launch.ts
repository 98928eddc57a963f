import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HOST, type Layout, ROOT } from "../layout.ts";
import { wranglerEnvironment } from "./environment.ts";

/** One run of `wrangler dev`. */
export interface Worker {
  /** Resolves when the Worker returns a request. Throws when it exits before that. */
  waitUntilReady(): Promise<void>;
  /** Resolves when wrangler has exited. */
  ended: Promise<unknown>;
  stop(): Promise<void>;
}

const READY_MS = 90_000;
const STOP_MS = 8_000;
const KILL_MS = 3_000;
const POLL_MS = 100;

/**
 * Starts `wrangler dev` under supervise.ts, with its output appended to the worker log. `clockOffset`: by how much its clock is
 * ahead, in ms.
 */
export async function launchWorker(layout: Layout, authorityFile: string, clockOffset: number): Promise<Worker> {
  const log = await open(layout.workerLog, "a");
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, "supervise.ts"), process.execPath, ...wranglerDev(layout, clockOffset)],
    {
      cwd: ROOT,
      // Own process group: Ctrl-C in the terminal reaches only this process, which stops the Worker in order.
      detached: true,
      stdio: ["pipe", log.fd, log.fd],
      env: { ...process.env, ...wranglerEnvironment(layout), WRANGLER_LOG: "log", NODE_EXTRA_CA_CERTS: authorityFile },
    },
  );
  await log.close();
  const ended = once(child, "exit").then(() => killGroup(child));
  return { waitUntilReady: () => waitUntilReady(layout, ended), ended, stop: () => stopWorker(child, ended) };
}

function wranglerDev(layout: Layout, clockOffset: number): string[] {
  return [
    path.join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js"),
    "dev",
    ...(clockOffset === 0
      ? []
      : [path.join(ROOT, "dev/clock/worker.ts"), "--define", `CLOCK_OFFSET_MS:${clockOffset}`]),
    ...["--config", path.join(ROOT, "wrangler.toml"), "--env-file", layout.workerEnvFile],
    ...["--ip", HOST, "--port", String(layout.ports.api), "--inspector-port", "0"],
    ...["--persist-to", layout.persistDir, "--local"],
    "--show-interactive-dev-session=false",
  ];
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
