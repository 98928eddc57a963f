import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { OWNER_MARK } from "./environment.ts";

const WAIT_MS = 100;
const ROUNDS = 50;

/**
 * Ends what an earlier Worker on this state directory left running: possible only when its supervisor
 * was killed -9 together with us. The caller holds the lock, so whatever bears our mark is left over.
 */
export async function killOrphanProcesses(stateDir: string): Promise<number> {
  const found = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const pids = await marked(stateDir);
    if (pids.length === 0) break;
    for (const pid of pids) {
      found.add(pid);
      killQuietly(pid);
    }
    await sleep(WAIT_MS);
  }
  return found.size;
}

/** Linux only: elsewhere there is no /proc, and a port that is still in use is reported instead. */
async function marked(stateDir: string): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  const mine = await Promise.all(pids.map((pid) => bears(pid, `${OWNER_MARK}=${stateDir}`)));
  return pids.filter((_, index) => mine[index]);
}

async function bears(pid: number, mark: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
  return Buffer.from(environment, "latin1").toString("utf8").split("\0").includes(mark);
}

function killQuietly(pid: number) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
