import { readFileSync } from "node:fs";

/** Returns the CPU time that work takes in this thread, in ms: other threads and processes do not count. Linux only (proc_pid_schedstat(5)). */
export function cpuTimeOf(work: () => void): number {
  const before = threadNanoseconds();
  work();
  return (threadNanoseconds() - before) / 1e6;
}

const threadNanoseconds = () => Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]);
