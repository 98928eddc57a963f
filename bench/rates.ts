/** Measures how many single emails are accepted and arrive a second, at several numbers of connections, while emails flow. */

import type { Readings } from "../test/support/meter.ts";
import { cpuMs } from "./cpu.ts";
import type { Bench } from "./deployment.ts";
import type { Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const CONNECTIONS = [1, 16, 64];
const LOAD_MS = 5_000;
const WARM_UP_MS = 1_000;
const BYTES = 1_000;
/** Outbox rows of one claim at saturation. */
const BUDGET_CLAIM = 20;

interface Measured {
  /** Emails accepted a second during the load. */
  accepted: number;
  /** Emails a second from the first request to the arrival of the last email. */
  arrived: number;
  /** CPU time of workerd from accept to final, in milliseconds for each email. */
  cpu: number;
  readings: Readings;
}

export async function measureRates(bench: Bench): Promise<Row[]> {
  await measureLoad(bench, 16, WARM_UP_MS);
  const rows: Row[] = [];
  let claim = 0;
  for (const connections of CONNECTIONS) {
    const { accepted, arrived, cpu, readings } = await measureLoad(bench, connections, LOAD_MS);
    claim = readings.claimedRows / readings.claims;
    rows.push({
      what: `single emails of 1 KB at ${connections} connections: accepted, arrived at the egress`,
      value: `${accepted.toFixed(0)} and ${arrived.toFixed(0)} a second; ${cpu.toFixed(1)} ms of CPU each, ${claim.toFixed(0)} in a claim`,
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

/** Sends emails over this number of connections for `ms` milliseconds, then waits until all have arrived. */
async function measureLoad({ deployment, sink }: Bench, connections: number, ms: number): Promise<Measured> {
  const body = JSON.stringify(deployment.mail(textOfSize(BYTES)));
  const arrivedBefore = sink.arrivals.length;
  await deployment.readings();
  const cpuBefore = await cpuMs(deployment.workerdPid);
  const startedAt = performance.now();
  let emails = 0;
  const sendUntilOver = async () => {
    while (performance.now() - startedAt < ms) {
      await (await deployment.call("POST", "/v1/emails/", body)).arrayBuffer();
      emails++;
    }
  };
  await Promise.all(Array.from({ length: connections }, sendUntilOver));
  const loadSeconds = (performance.now() - startedAt) / 1000;
  await sink.waitFor(arrivedBefore + emails);
  await deployment.waitUntilDrained();
  const seconds = ((sink.arrivals.at(-1) ?? Number.NaN) - startedAt) / 1000;
  return {
    accepted: emails / loadSeconds,
    arrived: emails / seconds,
    cpu: ((await cpuMs(deployment.workerdPid)) - cpuBefore) / emails,
    readings: await deployment.readings(),
  };
}
