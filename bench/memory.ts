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
    const before = await residentMegabytes(deployment.host.workerdPid);
    let peak = before;
    let isOver = false;
    const start = performance.now();
    const calls = Promise.all(Array.from({ length: atOnce }, () => call(deployment))).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      peak = Math.max(peak, await residentMegabytes(deployment.host.workerdPid));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await calls;
    return { megabytes: peak - before, seconds: (performance.now() - start) / 1000 };
  } finally {
    await deployment.stop();
  }
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}
