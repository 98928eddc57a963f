/** CPU of an accept against a bare route that makes the same binding calls, on the same host in the same minutes. */

import { type Service, textOf } from "./deployment.ts";
import { cpuMs } from "./host.ts";
import { median, type Row } from "./table.ts";

const ROUNDS = 5;
const REQUESTS = 300;

export async function accept(service: Service): Promise<Row[]> {
  const body = JSON.stringify(service.mail(textOf(2_000)));
  const send = () => service.call("POST", "/v1/emails/", body);
  const bare = () => service.door("bare", service.mail(textOf(2_000)));
  await service.door("hold");
  for (let i = 0; i < 50; i++) {
    await send();
    await bare();
  }
  const differences: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    differences.push((await cpuEach(service, send)) - (await cpuEach(service, bare)));
  }
  await service.door("deliver");
  await service.sql("DELETE FROM outbox WHERE kind = 'bare'");
  await service.host.scheduled("* * * * *");
  await service.drained();
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
async function cpuEach(service: Service, call: () => Promise<Response>): Promise<number> {
  const before = await cpuMs(service.host.workerdPid);
  for (let i = 0; i < REQUESTS; i++) await (await call()).arrayBuffer();
  return ((await cpuMs(service.host.workerdPid)) - before) / REQUESTS;
}
