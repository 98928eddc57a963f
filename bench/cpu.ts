/** The CPU time of workerd. */
import { readdir, readFile } from "node:fs/promises";

/** Returns the pids of the workerd processes that this process started. Others may start at the same time. */
export async function workerdProcesses(): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")));
  return pids.filter((_, index) => isOwnWorkerd(stats[index] ?? "")).map(Number);
}

function isOwnWorkerd(stat: string): boolean {
  return stat.includes("(workerd)") && Number(statFields(stat)[1]) === process.pid;
}

/** Returns the fields of /proc/<pid>/stat from the third on: state, parent, ... (the second may contain spaces). */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Returns the CPU time of a process and its threads, in milliseconds (Linux counts in ticks of 10 ms). */
export async function cpuMs(pid: number): Promise<number> {
  const fields = statFields(await readFile(`/proc/${pid}/stat`, "utf8"));
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
