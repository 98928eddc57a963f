import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Layout, ROOT, readLayout } from "../layout.ts";
import { type LocalService, readLocalService } from "../local-file.ts";
import { findFreePort } from "../ports.ts";
import { findHolder } from "../state/lock.ts";

interface Service {
  local: LocalService;
  /** Ends the service if it was started here. */
  close(): Promise<void>;
}

const FIRST_PORT = 18_787;
const READY_MS = 120_000;

/** The service that runs on this state directory, or one of our own that lasts as long as the demo. */
export async function openService(): Promise<Service> {
  const layout = readLayout(process.env);
  if (!(await findHolder(layout.stateDir))) return startOwn();
  console.log(`Using the service that runs on ${layout.stateDir}.`);
  return { local: await untilPublished(layout, () => true), close: async () => {} };
}

async function startOwn(): Promise<Service> {
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-demo-"));
  const port = await findFreePort(FIRST_PORT);
  console.log(`No service runs here; starting one for the demo on port ${port} ...`);
  const env = { ...process.env, STATE_DIR: stateDir, PORT: String(port) };
  // The channel is what ends it when we are killed: it notices the other end closing.
  const child = spawn(process.execPath, [path.join(ROOT, "dev", "start.ts")], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env,
  });
  const close = () => end(child, stateDir);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => close().then(() => process.exit(1)));
  try {
    return { local: await untilPublished(readLayout(env), () => child.exitCode === null), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function untilPublished(layout: Layout, running: () => boolean): Promise<LocalService> {
  for (const deadline = Date.now() + READY_MS; Date.now() < deadline && running(); await sleep(100)) {
    const local = await readLocalService(layout);
    if (local) return local;
  }
  throw new Error("The service did not get ready.");
}

async function end(child: ChildProcess, stateDir: string) {
  const exited = child.exitCode === null ? once(child, "exit") : null;
  child.kill("SIGTERM");
  await exited;
  await rm(stateDir, { recursive: true, force: true });
}
