/** Measures the CPU time of an accept above a baseline route that makes the same binding calls on the same host. */

import { cpuMs } from "./cpu.ts";
import type { Bench, Deployment } from "./deployment.ts";
import { median, type Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const ROUNDS = 5;
const REQUESTS = 200;

export async function measureAccept({ deployment }: Bench): Promise<Row[]> {
  const body = JSON.stringify(deployment.mail(textOfSize(2_000)));
  const send = () => deployment.call("POST", "/v1/emails/", body);
  const baseline = () => deployment.control("baseline-send", deployment.mail(textOfSize(2_000)));
  await deployment.control("pause-queue");
  for (let i = 0; i < 50; i++) {
    await send();
    await baseline();
  }
  const differences: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    differences.push((await cpuEach(deployment, send)) - (await cpuEach(deployment, baseline)));
  }
  await deployment.control("resume-queue");
  await deployment.sql("DELETE FROM outbox WHERE kind = 'baseline'");
  await deployment.host.scheduled("* * * * *");
  await deployment.waitUntilDrained();
  const difference = median(differences);
  return [
    {
      what: "CPU of an accept above a baseline route with the same binding calls",
      value: `${difference.toFixed(2)} ms (${differences.map((value) => value.toFixed(2)).join(", ")})`,
      budget: "1.5 ms",
      isMet: difference <= 1.5,
    },
  ];
}

/** Returns the CPU time of workerd for one call, in milliseconds. */
async function cpuEach(deployment: Deployment, call: () => Promise<Response>): Promise<number> {
  const before = await cpuMs(deployment.workerdPid);
  for (let i = 0; i < REQUESTS; i++) await (await call()).arrayBuffer();
  return ((await cpuMs(deployment.workerdPid)) - before) / REQUESTS;
}
