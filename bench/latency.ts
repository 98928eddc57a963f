/** Measures the time from the 202 of a lone email to its arrival at the egress, while the deployment is idle. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "./deployment.ts";
import { percentile, type Row } from "./table.ts";

const TRIALS = 31;
/** Time without work before each email, in milliseconds. */
const IDLE_MS = 100;
const BUDGET = { median: 150, p95: 400 };

export async function measureLatency({ deployment, sink }: Bench): Promise<Row[]> {
  const body = JSON.stringify(deployment.mail("Your code is 123456."));
  const afterResponse: number[] = [];
  const responded: number[] = [];
  for (let trial = 0; trial < TRIALS; trial++) {
    const arrived = sink.arrivals.length;
    const sentAt = performance.now();
    const response = await deployment.call("POST", "/v1/emails/", body);
    const respondedAt = performance.now();
    await response.arrayBuffer();
    await sink.waitFor(arrived + 1);
    responded.push(respondedAt - sentAt);
    afterResponse.push((sink.arrivals[arrived] ?? Number.NaN) - respondedAt);
    await deployment.waitUntilDrained();
    await sleep(IDLE_MS);
  }
  const [median, p95] = [percentile(afterResponse, 50), percentile(afterResponse, 95)];
  return [
    {
      what: "a lone email when idle, from its 202 to the egress: median and 95 %",
      value: `${median.toFixed(0)} and ${p95.toFixed(0)} ms of ${TRIALS} (the 202 itself: ${percentile(responded, 50).toFixed(0)} ms)`,
      budget: `${BUDGET.median} and ${BUDGET.p95} ms`,
      isMet: median <= BUDGET.median && p95 <= BUDGET.p95,
    },
  ];
}
