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
/** Functions of the reference module, which has 1.4 MB. */
const FUNCTIONS = 3_000;
const RUNS = 3;
const START_MS = 30_000;
/** Another program may hold the port that was free: a request to it must end. */
const REQUEST_MS = 5_000;

/**
 * Returns the CPU that a bundle takes from the start of workerd to its first response, and that of a reference module, both in
 * milliseconds and beyond that of a Worker that does nothing. To start, workerd compiles and evaluates all modules, and V8 does both in
 * several threads. Each is the least of three runs by turns, since other processes only make a run slower. Linux only.
 */
export async function measureStartupCpu(bundle: string): Promise<{ bundle: number; reference: number }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "email-delivery-startup-"));
  const modules = { empty: EMPTY, bundle: readFileSync(bundle), reference: referenceModule() };
  try {
    for (const [name, text] of Object.entries(modules)) {
      await writeFile(path.join(folder, `${name}.js`), text);
      await writeFile(path.join(folder, `${name}.capnp`), toConfig(`${name}.js`));
    }
    const least = { empty: Infinity, bundle: Infinity, reference: Infinity };
    for (let run = 0; run < RUNS; run++)
      for (const name of ["empty", "bundle", "reference"] as const)
        least[name] = Math.min(least[name], await load(path.join(folder, `${name}.capnp`)));
    return { bundle: least.bundle - least.empty, reference: least.reference - least.empty };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns a module whose text never changes, and that calls each of its functions once while it is evaluated. */
function referenceModule(): string {
  const each = (n: number) => `function f${n}(a, b) {
  const list = [];
  for (let i = 0; i < a; i++) list.push({ name: "field " + i, value: b[i] ?? ${n}, isSet: i % 2 === 0 });
  const found = list.filter((entry) => entry.isSet).map(({ name, value }) => name + "=" + value);
  if (found.length > a) throw new Error("too many of ${n}");
  return { text: found.join(";"), size: found.length, next: () => f${n}(a - 1, b) };
}
sum += f${n}(3, [${n}, 2, 3]).size;
`;
  const functions = Array.from({ length: FUNCTIONS }, (_, n) => each(n)).join("");
  return `let sum = 0;\n${functions}export default { fetch() { return new Response(String(sum)) } }`;
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
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    for (const end = Date.now() + START_MS; ; await sleep(10)) {
      const response = await fetch(`http://127.0.0.1:${port}/health`, {
        signal: AbortSignal.timeout(REQUEST_MS),
      }).catch(() => null);
      if (response?.ok) return cpuOf(child.pid ?? 0);
      if (Date.now() > end || child.exitCode !== null) throw new Error(`workerd did not load ${config}`);
    }
  } finally {
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
