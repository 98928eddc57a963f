import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HOST, type Layout, ROOT } from "../layout.ts";
import { quietWrangler } from "./environment.ts";

/** One run of `wrangler dev`. */
export interface Worker {
  /** Resolves once it answers; fails when it ends before that. */
  untilReady(): Promise<void>;
  /** Resolves when it has ended, wanted or not. */
  ended: Promise<unknown>;
  stop(): Promise<void>;
}

const READY_MS = 90_000;
const STOP_MS = 8_000;
const GONE_MS = 3_000;
const POLL_MS = 100;

/** Starts `wrangler dev` under its supervisor. Its output goes to the worker log. */
export async function launchWorker(layout: Layout, authorityFile: string): Promise<Worker> {
  const log = await open(layout.workerLog, "a");
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, "supervise.ts"), process.execPath, ...wranglerDev(layout)],
    {
      cwd: ROOT,
      // A group of its own: a Ctrl-C in the terminal reaches us, and we end it in order.
      detached: true,
      stdio: ["pipe", log.fd, log.fd],
      env: { ...process.env, ...quietWrangler(layout), WRANGLER_LOG: "log", NODE_EXTRA_CA_CERTS: authorityFile },
    },
  );
  await log.close();
  const ended = once(child, "exit").then(() => killGroup(child));
  return { untilReady: () => untilReady(layout, ended), ended, stop: () => stopWorker(child, ended) };
}

function wranglerDev(layout: Layout): string[] {
  return [
    path.join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js"),
    "dev",
    ...["--config", path.join(ROOT, "wrangler.toml"), "--env-file", layout.workerEnvFile],
    ...["--ip", HOST, "--port", String(layout.ports.api), "--inspector-port", "0"],
    ...["--persist-to", layout.persistDir, "--local"],
    "--show-interactive-dev-session=false",
  ];
}

/** Ready means that the Worker's own code answers; until then wrangler holds the request or refuses it. */
async function untilReady(layout: Layout, ended: Promise<unknown>) {
  let alive = true;
  void ended.then(() => {
    alive = false;
  });
  for (const deadline = Date.now() + READY_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    if (await answers(`http://${HOST}:${layout.ports.api}/health`)) return;
    if (!alive) throw new Error("The Worker ended while it started.");
  }
  throw new Error(`The Worker did not answer within ${READY_MS / 1000} seconds.`);
}

async function answers(url: string): Promise<boolean> {
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
  for (const deadline = Date.now() + GONE_MS; killGroup(child) && Date.now() < deadline; ) await sleep(20);
}

/** False when nobody is left in it. The supervisor does this itself, unless it was killed -9. */
function killGroup(child: ChildProcess): boolean {
  try {
    return child.pid ? process.kill(-child.pid, "SIGKILL") : false;
  } catch {
    return false;
  }
}
