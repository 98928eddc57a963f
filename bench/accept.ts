/** CPU of an accept against a bare route that makes the same binding calls, on the same host in the same minutes. */

import type { Deployment } from "./deployment.ts";
import { cpuMs } from "./host/in-process.ts";
import { median, type Row } from "./table.ts";
import { textOf } from "./text.ts";

const ROUNDS = 5;
const REQUESTS = 300;

export async function accept(deployment: Deployment): Promise<Row[]> {
  const body = JSON.stringify(deployment.mail(textOf(2_000)));
  const send = () => deployment.call("POST", "/v1/emails/", body);
  const bare = () => deployment.door("bare", deployment.mail(textOf(2_000)));
  await deployment.door("hold");
  for (let i = 0; i < 50; i++) {
    await send();
    await bare();
  }
  const differences: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    differences.push((await cpuEach(deployment, send)) - (await cpuEach(deployment, bare)));
  }
  await deployment.door("deliver");
  await deployment.sql("DELETE FROM outbox WHERE kind = 'bare'");
  await deployment.host.scheduled("* * * * *");
  await deployment.drained();
  const more = median(differences);
  return [
    {
      what: "CPU of an accept above a bare route with the same binding calls",
      value: `${more.toFixed(2)} ms (${differences.map((value) => value.toFixed(2)).join(", ")})`,
      budget: "1.5 ms",
      holds: more <= 1.5,
    },
  ];
}

/** CPU time of workerd for one call, in milliseconds. */
async function cpuEach(deployment: Deployment, call: () => Promise<Response>): Promise<number> {
  const before = await cpuMs(deployment.host.workerdPid);
  for (let i = 0; i < REQUESTS; i++) await (await call()).arrayBuffer();
  return ((await cpuMs(deployment.host.workerdPid)) - before) / REQUESTS;
}
