/** Measures round trips, rows and platform cost. The counts are the same on every machine. */

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
    await deployment.control("pause-queue");
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
  await deployment.control("resume-queue");
  await deployment.host.scheduled("* * * * *");
  await deployment.waitUntilDrained();
  const single = await measureLifecycle(deployment, 1);
  const burst = await measureLifecycle(deployment, BURST);
  rows.push(rowsWrittenRow("a single email", single), rowsWrittenRow(`each of ${BURST} emails at once`, burst));
  rows.push(...(await costRows(deployment, burst)));
  return rows;
}

/** Sends emails, waits until they are final, and returns the mean readings of one email. */
async function measureLifecycle(deployment: Deployment, emails: number): Promise<Readings> {
  await deployment.control("pause-queue");
  await deployment.readings();
  const body = JSON.stringify(deployment.mail(textOfSize(BODY_OCTETS)));
  for (let i = 0; i < emails; i++) await deployment.call("POST", "/v1/emails/", body);
  await deployment.control("resume-queue");
  await deployment.host.scheduled("* * * * *");
  await deployment.waitUntilDrained();
  const total = await deployment.readings();
  // The queue was paused and the sweep delivered, so queue operations are computed: one write, read and delete an email.
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

/** CPU time assumed for accept and delivery of a small email, in milliseconds. It is 2 % of the cost. */
const CPU_MS = 8;

async function costRows(deployment: Deployment, each: Readings): Promise<Row[]> {
  const [size] = await deployment.sql<{ bytes: number }>(
    "SELECT avg(length(recipients) + length(events) + length(subject) + length(message_id) + 280) AS bytes FROM emails WHERE workspace = ?1",
    deployment.seed.workspaceNumber,
  );
  const stored = { d1Kilobytes: (size?.bytes ?? 0) / 1000, r2Kilobytes: BODY_OCTETS / 1000 };
  const dollars = costPerThousand(each, CPU_MS, stored);
  return [
    {
      what: "platform cost of 1,000 single emails, a month of storage included",
      value: `$${dollars.toFixed(4)}`,
      budget: "$0.018",
      isMet: dollars <= 0.018,
    },
  ];
}
