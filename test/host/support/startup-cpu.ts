/** CPU that workerd needs to load a Worker. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findTestPort } from "./ports.ts";

/** A module that does nothing: what workerd itself needs for a start and a request. */
const EMPTY = 'export default { fetch() { return new Response("") } }';
const RUNS = 3;
const START_MS = 30_000;
/** Another program may hold the port that was free: a request to it must end. */
const REQUEST_MS = 5_000;

/**
 * Returns the CPU that a bundle takes from the start of workerd to its first response, in milliseconds, beyond that of a Worker that
 * does nothing. It compiles and evaluates all modules, and V8 does both in several threads. The first of three runs below `budgetMs`,
 * else the least, since other processes only make a run slower. Linux only.
 */
export async function measureStartupCpu(bundle: string, budgetMs: number): Promise<number> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "email-delivery-startup-"));
  try {
    const [empty, whole] = [path.join(folder, "empty.capnp"), path.join(folder, "bundle.capnp")];
    await writeFile(path.join(folder, "empty.js"), EMPTY);
    await writeFile(path.join(folder, "bundle.js"), readFileSync(bundle));
    await writeFile(empty, toConfig("empty.js"));
    await writeFile(whole, toConfig("bundle.js"));
    const values: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const milliseconds = (await load(whole)) - (await load(empty));
      if (milliseconds < budgetMs) return milliseconds;
      values.push(milliseconds);
    }
    return Math.min(...values);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const toConfig = (file: string) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "${file}", esModule = embed "${file}")], compatibilityDate = "2026-10-01"))],
  sockets = [(name = "http", http = (), service = "main")]
);`;

/** Starts of workerd, each on another port: another program may have taken the one that was free. */
const STARTS = 3;

/** Starts workerd, waits for a response, and returns the CPU of all its threads in milliseconds. */
async function load(config: string): Promise<number> {
  for (let start = 1; start < STARTS; start++) {
    const milliseconds = await loadOnce(config).catch(() => null);
    if (milliseconds !== null) return milliseconds;
  }
  return loadOnce(config);
}

async function loadOnce(config: string): Promise<number> {
  const port = await findTestPort();
  const requireFromHere = createRequire(import.meta.url);
  const { default: workerd } = requireFromHere("workerd") as { default: string };
  const child = spawn(workerd, ["serve", config, `--socket-addr=http=127.0.0.1:${port}`], { stdio: "ignore" });
  try {
    for (const end = Date.now() + START_MS; ; await sleep(10)) {
      const response = await fetch(`http://127.0.0.1:${port}/health`, {
        signal: AbortSignal.timeout(REQUEST_MS),
      }).catch(() => null);
      if (response?.ok) return cpuOf(child.pid ?? 0);
      if (Date.now() > end || child.exitCode !== null) throw new Error(`workerd did not load ${config}`);
    }
  } finally {
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGKILL");
    await ended;
  }
}

/** Returns the time on a CPU of all threads of a process, in milliseconds (proc_pid_schedstat(5)). */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6;
}
