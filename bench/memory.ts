import { readFile } from "node:fs/promises";
import { Deployment } from "./deployment.ts";

/**
 * Returns the peak that a call adds to workerd's resident memory, in MB, and its time. Starts a separate host for it.
 * `warmUp` runs before, and its memory is not counted.
 */
export async function measurePeakMemory(
  egressUrl: string,
  atOnce: number,
  call: (deployment: Deployment) => Promise<Response>,
  warmUp: (deployment: Deployment) => Promise<unknown> = async () => {},
): Promise<{ megabytes: number; seconds: number }> {
  const deployment = await Deployment.start(egressUrl);
  try {
    await deployment.control("pause-queue");
    for (let i = 0; i < 20; i++) await deployment.call("POST", "/v1/emails/", deployment.mail("warm"));
    await warmUp(deployment);
    return await peakMegabytes(deployment.host.workerdPid, () =>
      Promise.all(Array.from({ length: atOnce }, () => call(deployment))),
    );
  } finally {
    await deployment.stop();
  }
}

/** Returns the peak that work adds to the resident memory of a process, in MB, and its time. */
export async function peakMegabytes(
  pid: number,
  work: () => Promise<unknown>,
): Promise<{ megabytes: number; seconds: number }> {
  const before = await residentMegabytes(pid);
  let peak = before;
  let isOver = false;
  const start = performance.now();
  const running = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    peak = Math.max(peak, await residentMegabytes(pid));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await running;
  return { megabytes: peak - before, seconds: (performance.now() - start) / 1000 };
}

/** Returns the resident memory of a process. */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}
