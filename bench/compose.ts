/**
 * Measures CPU and peak memory of composing a message in workerd and signing it with both keys; bulk mail has more fields and a third key
 * (RFC 9477 3.1.3).
 */

import type { Bench } from "./deployment.ts";
import { cpuMs } from "./host/in-process.ts";
import { measurePeakMemory } from "./memory.ts";
import type { Row } from "./table.ts";

const SIZES = [
  { what: "10 KB of text", text: 10_000, file: 0, times: 1_000, isBulk: false },
  { what: "10 KB of text of bulk mail", text: 10_000, file: 0, times: 1_000, isBulk: true },
  { what: "1 MB of text", text: 1_000_000, file: 0, times: 20, isBulk: false },
  { what: "a file of 24 MiB", text: 1_000, file: 24 * 1024 * 1024, times: 3, isBulk: false },
];

export async function measureComposing({ deployment, sink }: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { what, ...work } of SIZES) {
    await deployment.control("compose", { ...work, times: 1 });
    const before = await cpuMs(deployment.host.workerdPid);
    await deployment.control("compose", work);
    const each = ((await cpuMs(deployment.host.workerdPid)) - before) / work.times;
    const { megabytes } = await measurePeakMemory(sink.url, 1, (separate) =>
      separate.control("compose", { ...work, times: 1 }),
    );
    rows.push({
      what: `CPU and peak memory of composing and signing ${what}`,
      value: `${each.toFixed(2)} ms, ${megabytes.toFixed(0)} MB`,
      budget: work.file > 0 ? "60 MB" : "",
      isMet: megabytes <= 60,
    });
  }
  return rows;
}
