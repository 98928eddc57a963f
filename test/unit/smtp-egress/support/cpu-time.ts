/** Returns the CPU time that work takes in this thread, in ms: other processes do not count. */
export function cpuTimeOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  return process.threadCpuUsage(before).user / 1_000;
}
