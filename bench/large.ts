/** Accepting 24 MiB: time, and the peak of workerd's memory over a route that only puts as much into R2. */
import { readFile } from "node:fs/promises";
import { Deployment } from "./deployment.ts";
import type { Row } from "./table.ts";

const OCTETS = 24 * 1024 * 1024;
const BUDGET_MB = 60;

export async function large(egressUrl: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const atOnce of [1, 2]) {
    const put = await peakOf(egressUrl, atOnce, (deployment) => deployment.door("put", { octets: OCTETS }));
    const accept = await peakOf(egressUrl, atOnce, async (deployment, body) => {
      const response = await deployment.call("POST", "/v1/emails/", body);
      return response;
    });
    const more = accept.megabytes - put.megabytes;
    rows.push({
      what: `accepting 24 MiB${atOnce === 2 ? ", two at a time" : ""}: peak memory over the same R2 puts`,
      value: `${more.toFixed(0)} MB (${accept.megabytes.toFixed(0)} against ${put.megabytes.toFixed(0)}), ${accept.seconds.toFixed(2)} s`,
      budget: `${BUDGET_MB} MB`,
      holds: more <= BUDGET_MB,
    });
  }
  return rows;
}

/** What a call adds to workerd's resident memory at its peak, on a host of its own. */
async function peakOf(
  egressUrl: string,
  atOnce: number,
  call: (deployment: Deployment, body: string) => Promise<Response>,
): Promise<{ megabytes: number; seconds: number }> {
  const deployment = await Deployment.start(egressUrl);
  try {
    await deployment.door("hold");
    const content_base64 = Buffer.alloc(OCTETS, 0x5a).toString("base64");
    const body = JSON.stringify({
      ...deployment.mail("small"),
      attachments: [{ filename: "large.bin", content_base64 }],
    });
    for (let i = 0; i < 20; i++) await deployment.call("POST", "/v1/emails/", deployment.mail("warm"));
    const before = await residentMegabytes(deployment.host.workerdPid);
    let peak = before;
    let isOver = false;
    const start = performance.now();
    const calls = Promise.all(Array.from({ length: atOnce }, () => call(deployment, body))).finally(() => {
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
