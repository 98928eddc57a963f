/** Measures CPU and peak memory of preparing the largest emails that accept admits, each in a separate host. */

import type { Bench, Deployment } from "./deployment.ts";
import { cpuMs } from "./host/in-process.ts";
import { measurePeakMemory } from "./memory.ts";
import type { Row } from "./table.ts";

/** Budget of one email: it must not delay the emails of other workspaces. */
const BUDGET = { ms: 250, megabytes: 64 };
/** The most expensive bodies of bench/prepare-endpoint.ts. */
const BODIES = ["links", "long targets", "bodies", "line ends"];

export async function measureWorstEmails({ sink }: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const body of BODIES) {
    let ms = 0;
    const prepare = async (separate: Deployment) => {
      const before = await cpuMs(separate.host.workerdPid);
      const response = await separate.control("prepare", { body });
      ms = (await cpuMs(separate.host.workerdPid)) - before;
      return response;
    };
    // Without a body it only makes the keys, which a delivery finds in the database.
    const { megabytes } = await measurePeakMemory(sink.url, 1, prepare, (separate) => separate.control("prepare", {}));
    rows.push({
      what: `CPU and peak memory of preparing the largest email: ${body}`,
      value: `${ms.toFixed(0)} ms, ${megabytes.toFixed(0)} MB`,
      budget: `${BUDGET.ms} ms, ${BUDGET.megabytes} MB`,
      isMet: ms <= BUDGET.ms && megabytes <= BUDGET.megabytes,
    });
  }
  return rows;
}
