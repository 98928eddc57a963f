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
  /** True if the demo started the service and stops it at the end. */
  isTemporary: boolean;
  /** Stops the service if the demo started it. */
  close(): Promise<void>;
}

const FIRST_PORT = 18_787;
const READY_MS = 120_000;

/** Returns the service that runs on this state directory, or starts a temporary one. Throws when it does not get ready. */
export async function openService(): Promise<Service> {
  const layout = readLayout(process.env);
  if (!(await findHolder(layout.stateDir))) return startTemporary();
  console.log(`Using the service on ${layout.stateDir}.`);
  return { local: await waitUntilPublished(layout, () => true), isTemporary: false, close: async () => {} };
}

async function startTemporary(): Promise<Service> {
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-demo-"));
  const port = await findFreePort(FIRST_PORT);
  console.log(`No service is running; starting a temporary one on port ${port} ...`);
  const env = { ...process.env, STATE_DIR: stateDir, PORT: String(port) };
  // The child exits when this channel closes, also after a SIGKILL of this process.
  const child = spawn(process.execPath, [path.join(ROOT, "dev", "start.ts")], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env,
  });
  const close = () => end(child, stateDir);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => close().then(() => process.exit(1)));
  try {
    const local = await waitUntilPublished(readLayout(env), () => child.exitCode === null);
    return { local, isTemporary: true, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function waitUntilPublished(layout: Layout, running: () => boolean): Promise<LocalService> {
  for (const deadline = Date.now() + READY_MS; Date.now() < deadline && running(); await sleep(100)) {
    const local = await readLocalService(layout);
    if (local) return local;
  }
  throw new Error(
    running() ? `the service was not ready after ${READY_MS / 1000} seconds` : "the service did not start",
  );
}

async function end(child: ChildProcess, stateDir: string) {
  const exited = child.exitCode === null ? once(child, "exit") : null;
  child.kill("SIGTERM");
  await exited;
  await rm(stateDir, { recursive: true, force: true });
}
