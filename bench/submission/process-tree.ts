import { readdir, readFile } from "node:fs/promises";
import { cpuMs, statFields } from "../host/in-process.ts";

/** Returns the CPU time of a process, its descendants, and those that have ended, in milliseconds. */
export async function treeCpuMs(root: number): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  const ended = new Map<number, number>();
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
    if (stat === null) continue;
    const fields = statFields(stat);
    parents.set(pid, Number(fields[1]));
    ended.set(pid, (Number(fields[13]) + Number(fields[14])) * 10);
  }
  const isIn = (pid: number | undefined): boolean => pid === root || (pid !== undefined && isIn(parents.get(pid)));
  let sum = 0;
  for (const pid of parents.keys()) if (isIn(pid)) sum += (await cpuMs(pid).catch(() => 0)) + (ended.get(pid) ?? 0);
  return sum;
}
