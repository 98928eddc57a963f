/** Measures a batch of 500 from accept to final status: rows, cost, and the CPU time of its accept. */

import { perEmail } from "./cost.ts";
import { cpuMs } from "./cpu.ts";
import type { Bench, Deployment } from "./deployment.ts";
import { costPerThousand } from "./prices.ts";
import { median, type Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const ITEMS = 500;
const ROUNDS = 5;
const BODY_BYTES = 8_000;

export async function measureBatch({ deployment }: Bench): Promise<Row[]> {
  const items = (count: number, bytes: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, index) => ({
        ...deployment.mail(textOfSize(bytes)),
        to: [{ email: `friend${index}@example.org` }],
      })),
    );
  const send = (body: string) => deployment.call("POST", "/v1/emails/batch", body);
  await send(items(1, 100));
  await deployment.waitUntilDrained();
  await deployment.host.scheduled("* * * * *");
  await deployment.readings();
  const sizeBefore = await deployment.databaseSize();
  const cpuBefore = await cpuMs(deployment.workerdPid);
  await send(items(ITEMS, BODY_BYTES));
  await deployment.waitUntilDrained();
  await deployment.host.scheduled("* * * * *");
  const each = perEmail(await deployment.readings(), ITEMS);
  const cpu = ((await cpuMs(deployment.workerdPid)) - cpuBefore) / ITEMS;
  const bytes = ((await deployment.databaseSize()) - sizeBefore) / ITEMS;
  const dollars = costPerThousand(each, cpu, { d1Kilobytes: bytes / 1000, r2Kilobytes: BODY_BYTES / 1000 });
  return [
    row("D1 rows written, accept to final: each of a batch of 500", each.rowsWritten, 4.5, each.rowsWritten.toFixed(2)),
    row(
      "platform cost of 1,000 emails of batches, a month of storage included",
      dollars,
      0.005,
      `$${dollars.toFixed(5)}; ${bytes.toFixed(0)} bytes in D1 and ${cpu.toFixed(1)} ms of CPU each`,
      "$0.005",
    ),
    await measureCpu(deployment, send, items(ITEMS, 2_000)),
  ];
}
async function measureCpu(
  deployment: Deployment,
  send: (body: string) => Promise<Response>,
  body: string,
): Promise<Row> {
  await deployment.control("pause-queue");
  const baseline = () => deployment.control("baseline-batch", JSON.parse(body));
  const differences: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const service = await cpuEach(deployment, () => send(body));
    differences.push((service - (await cpuEach(deployment, baseline))) / ITEMS);
  }
  await deployment.control("resume-queue");
  await deployment.sql("DELETE FROM outbox WHERE kind = 'baseline'");
  await deployment.host.scheduled("* * * * *");
  await deployment.waitUntilDrained();
  const difference = median(differences);
  const all = differences.map((value) => value.toFixed(2)).join(", ");
  return row(
    "CPU of an item of a batch of 500 above a baseline route with the same binding calls",
    difference,
    0.15,
    `${difference.toFixed(2)} ms (${all})`,
    "0.15 ms",
  );
}

/** Returns the CPU time of workerd for one call in milliseconds, as the mean of four calls. */
async function cpuEach(deployment: Deployment, call: () => Promise<Response>): Promise<number> {
  const before = await cpuMs(deployment.workerdPid);
  for (let i = 0; i < 4; i++) await (await call()).arrayBuffer();
  return ((await cpuMs(deployment.workerdPid)) - before) / 4;
}

function row(what: string, measured: number, budget: number, value = String(measured), shown = String(budget)): Row {
  return { what, value, budget: shown, isMet: measured <= budget };
}
