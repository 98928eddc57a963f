/** Preparing the worst email that accept admits, for one body after the other: CPU and peak memory in workerd. */
import { readFile } from "node:fs/promises";
import { cpuMs, type Host } from "./host/in-process.ts";
import type { Row } from "./table.ts";

const CPU_BUDGET_MS = 250;
const MEMORY_BUDGET_MB = 64;

/** Measures each body on a host of its own, since workerd does not return memory. `start` starts a host. */
export async function worstEmails(start: () => Promise<Host>, only?: string): Promise<Row[]> {
  const rows: Row[] = [];
  const names = only === undefined ? await listBodies(start) : [only];
  for (const body of names) {
    const { ms, megabytes } = await measure(start, body);
    rows.push({
      what: `CPU and peak memory of preparing the worst email: ${body}`,
      value: `${ms.toFixed(0)} ms, ${megabytes.toFixed(0)} MB`,
      budget: `${CPU_BUDGET_MS} ms, ${MEMORY_BUDGET_MB} MB`,
      holds: ms <= CPU_BUDGET_MS && megabytes <= MEMORY_BUDGET_MB,
    });
  }
  return rows;
}

async function listBodies(start: () => Promise<Host>): Promise<string[]> {
  const host = await start();
  try {
    return (await (await prepare(host, undefined)).json()) as string[];
  } finally {
    await host.stop();
  }
}

async function measure(start: () => Promise<Host>, body: string): Promise<{ ms: number; megabytes: number }> {
  const host = await start();
  try {
    await prepare(host, "plain");
    const [before, startMs] = [await residentMegabytes(host.workerdPid), await cpuMs(host.workerdPid)];
    let peak = before;
    let isOver = false;
    const call = prepare(host, body).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      peak = Math.max(peak, await residentMegabytes(host.workerdPid));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await call;
    return { ms: (await cpuMs(host.workerdPid)) - startMs, megabytes: peak - before };
  } finally {
    await host.stop();
  }
}

async function prepare(host: Host, body: string | undefined): Promise<Response> {
  const response = await fetch(`${host.url}/bench/prepare`, { method: "POST", body: JSON.stringify({ body }) });
  if (!response.ok) throw new Error(`prepare answered ${response.status}`);
  return response;
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}
