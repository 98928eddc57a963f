/** Composing and signing with both keys in workerd, from content to the last octet: CPU of one message. */
import type { Deployment } from "./deployment.ts";
import { cpuMs } from "./host/in-process.ts";
import { peakOf } from "./memory.ts";
import type { Row } from "./table.ts";

const SIZES = [
  { what: "10 KB of text", text: 10_000, file: 0, times: 300 },
  { what: "1 MB of text", text: 1_000_000, file: 0, times: 20 },
  { what: "a file of 24 MiB", text: 1_000, file: 24 * 1024 * 1024, times: 3 },
];

export async function composing(deployment: Deployment, egressUrl: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { what, ...work } of SIZES) {
    await deployment.door("compose", { ...work, times: 1 });
    const before = await cpuMs(deployment.host.workerdPid);
    await deployment.door("compose", work);
    const each = ((await cpuMs(deployment.host.workerdPid)) - before) / work.times;
    const { megabytes } = await peakOf(egressUrl, 1, (fresh) => fresh.door("compose", { ...work, times: 1 }));
    rows.push({
      what: `CPU and peak memory of composing and signing ${what}`,
      value: `${each.toFixed(2)} ms, ${megabytes.toFixed(0)} MB`,
      budget: work.file > 0 ? "60 MB" : "",
      holds: megabytes <= 60,
    });
  }
  return rows;
}
