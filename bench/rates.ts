/** Measures how many single emails are accepted and arrive a second, at several numbers of connections, while emails flow. */

import type { Readings } from "../test/support/meter.ts";
import { cpuMs } from "./cpu.ts";
import type { Bench } from "./deployment.ts";
import { type Loaded, sendFor } from "./load.ts";
import type { Row } from "./table.ts";

const CONNECTIONS = [1, 16, 64];
const LOAD_MS = 5_000;
const WARM_UP_MS = 1_000;
const BYTES = 1_000;
/** Emails of one claim at saturation. */
const BUDGET_CLAIM = 20;

interface Measured extends Loaded {
  /** CPU time of workerd from accept to final, in milliseconds for each email. */
  cpu: number;
  readings: Readings;
}

export async function measureRates(bench: Bench): Promise<Row[]> {
  await measureLoad(bench, 16, WARM_UP_MS);
  const rows: Row[] = [];
  let claim = 0;
  for (const connections of CONNECTIONS) {
    const { emails, accepted, arrived, cpu, readings } = await measureLoad(bench, connections, LOAD_MS);
    claim = emails / readings.claims;
    const each = (count: number) => (count / emails).toFixed(1);
    rows.push({
      what: `single emails of 1 KB at ${connections} connections: accepted, arrived at the egress`,
      value: `${accepted.toFixed(0)} and ${arrived.toFixed(0)} a second; ${cpu.toFixed(1)} ms of CPU each, ${claim.toFixed(0)} in a claim; ${each(readings.d1Calls)} D1 calls, ${each(readings.rowsWritten)} rows, ${each(readings.queueOperations)} queue operations`,
      budget: "",
      isMet: true,
    });
  }
  rows.push({
    what: `emails in a claim at ${CONNECTIONS.at(-1)} connections`,
    value: claim.toFixed(1),
    budget: `at least ${BUDGET_CLAIM}`,
    isMet: claim >= BUDGET_CLAIM,
  });
  return rows;
}

/** Sends emails as `sendFor`, and reads the meters. */
async function measureLoad({ deployment, sink }: Bench, connections: number, ms: number): Promise<Measured> {
  await deployment.readings();
  const cpuBefore = await cpuMs(deployment.workerdPid);
  const loaded = await sendFor(deployment.target(sink, BYTES), connections, ms);
  return {
    ...loaded,
    cpu: ((await cpuMs(deployment.workerdPid)) - cpuBefore) / loaded.emails,
    readings: await deployment.readings(),
  };
}
