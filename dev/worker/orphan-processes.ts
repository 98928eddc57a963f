import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { OWNER_VARIABLE } from "./environment.ts";

const WAIT_MS = 100;
const ROUNDS = 50;

/**
 * Kills processes of an earlier Worker on this state directory, and returns their number. They exist only when
 * supervise.ts got a SIGKILL together with its parent. The caller holds the state lock, so no such process is in use.
 */
export async function killOrphanProcesses(stateDir: string): Promise<number> {
  const found = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const pids = await findOwnedProcesses(stateDir);
    if (pids.length === 0) break;
    for (const pid of pids) {
      found.add(pid);
      kill(pid);
    }
    await sleep(WAIT_MS);
  }
  return found.size;
}

/** Finds processes by their environment in /proc (Linux). On other systems `npm start` reports the port in use instead. */
async function findOwnedProcesses(stateDir: string): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  const mine = await Promise.all(pids.map((pid) => hasVariable(pid, `${OWNER_VARIABLE}=${stateDir}`)));
  return pids.filter((_, index) => mine[index]);
}

async function hasVariable(pid: number, assignment: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
  return Buffer.from(environment, "latin1").toString("utf8").split("\0").includes(assignment);
}

function kill(pid: number) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already exited.
  }
}
