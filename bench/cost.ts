/** Round trips, rows and cost: counted, so the same on every machine. */

import type { Deployment } from "./deployment.ts";
import type { Readings } from "./meter.ts";
import { costPerThousand } from "./prices.ts";
import type { Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const BURST = 100;
const BODY_OCTETS = 8_000;

export async function measureCosts(deployment: Deployment): Promise<Row[]> {
  const warm = await deployment.call("POST", "/v1/emails/", deployment.mail("warm"));
  const { id } = (await warm.json()) as { id: string };
  await deployment.waitUntilDrained();
  await deployment.readings();
  const rows: Row[] = [];
  const countTrips = async (what: string, budget: number, method: string, path: string, body?: unknown) => {
    await deployment.control("hold");
    await deployment.call(method, path, body);
    const { d1Trips, rowsRead } = await deployment.readings();
    rows.push({
      what: `D1 round trips: ${what}`,
      value: `${d1Trips - 1} (${rowsRead} rows read)`,
      budget: String(budget),
      isMet: d1Trips - 1 <= budget,
    });
  };
  await countTrips("single send", 3, "POST", "/v1/emails/", deployment.mail("counted"));
  await countTrips("list of 20", 1, "GET", "/v1/emails/");
  await countTrips("detail", 1, "GET", `/v1/emails/${id}`);
  await deployment.control("deliver");
  await deployment.host.scheduled("* * * * *");
  await deployment.waitUntilDrained();
  const single = await measureLifecycle(deployment, 1);
  const burst = await measureLifecycle(deployment, BURST);
  rows.push(rowsWrittenRow("a lone email", single), rowsWrittenRow(`each of ${BURST} emails at once`, burst));
  rows.push(...(await costRows(deployment, burst)));
  return rows;
}

/** Sends emails and follows them to their end: what each of them cost. */
async function measureLifecycle(deployment: Deployment, emails: number): Promise<Readings> {
  await deployment.control("hold");
  await deployment.readings();
  const body = JSON.stringify(deployment.mail(textOfSize(BODY_OCTETS)));
  for (let i = 0; i < emails; i++) await deployment.call("POST", "/v1/emails/", body);
  await deployment.control("deliver");
  await deployment.host.scheduled("* * * * *");
  await deployment.waitUntilDrained();
  const total = await deployment.readings();
  // The sweep stood in for the wake-ups that were held: each email has its own message, taken and deleted once.
  total.queueOperations = 3 * emails;
  total.requests += emails;
  return Object.fromEntries(
    Object.entries(total).map(([name, value]) => [name, value / emails]),
  ) as unknown as Readings;
}

function rowsWrittenRow(what: string, { rowsWritten }: Readings): Row {
  return {
    what: `D1 rows written, accept to final: ${what}`,
    value: rowsWritten.toFixed(2),
    budget: "9",
    isMet: rowsWritten <= 9,
  };
}

/** CPU assumed for accept and delivery of a small mail; measured above in this table, and 2 % of the sum. */
const CPU_MS = 8;

async function costRows(deployment: Deployment, each: Readings): Promise<Row[]> {
  const [size] = await deployment.sql<{ bytes: number }>(
    "SELECT avg(length(recipients) + length(events) + length(subject) + length(message_id) + 280) AS bytes FROM emails WHERE workspace = ?1",
    deployment.seed.workspaceNumber,
  );
  const kept = { d1Kilobytes: (size?.bytes ?? 0) / 1000, r2Kilobytes: BODY_OCTETS / 1000 };
  const dollars = costPerThousand(each, CPU_MS, kept);
  return [
    {
      what: "platform cost of 1,000 single emails, a month of storage included",
      value: `$${dollars.toFixed(4)}`,
      budget: "$0.018",
      isMet: dollars <= 0.018,
    },
  ];
}
