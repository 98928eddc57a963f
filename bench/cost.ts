/** Measures rows written and platform cost of single emails. The counts are the same on every machine. */
import type { Readings } from "../test/support/meter.ts";
import { delegatedRows } from "./delegated-costs.ts";
import type { Bench, Deployment } from "./deployment.ts";
import { costPerThousand } from "./prices.ts";
import type { Row } from "./table.ts";
import { textOfSize } from "./text.ts";

/** Lone emails a day, and days after which their content is moved to R2 at once (src/sending/emails/content/offload.ts). */
const LONE_A_DAY = 5;
const DAYS_IN_ROW = 3;
const LONE = LONE_A_DAY * DAYS_IN_ROW;
/** Emails sent over each number of connections of one isolate, and the budget of 1,000 in dollars. */
const SENT = 320;
const LOADS = [
  { connections: 1, dollars: 0.016 },
  { connections: 16, dollars: 0.008 },
  { connections: 64, dollars: 0.008 },
];
const BODY_BYTES = 8_000;
/** Rows written of a lone email from its accept to its end. */
const LONE_ROWS = 11;
/** CPU time assumed for accept and delivery of a small email, in milliseconds. It is 2 % of the cost. */
const CPU_MS = 8;

/** Mean readings of an email: until it is final and indexed, and of the later move of its content from its row to R2. */
interface Measured {
  final: Readings;
  moved: Readings;
  /** Bytes that it takes in the database then, indexes included. */
  bytes: number;
}

export async function measureCosts({ deployment }: Bench): Promise<Row[]> {
  await deployment.call("POST", "/v1/emails/", deployment.mail("warm"));
  await finish(deployment);
  await moveContent(deployment);
  const lone = await measure(deployment, LONE, sendLone);
  const loads = [];
  for (const load of LOADS)
    loads.push({ ...load, ...(await measure(deployment, SENT, (of) => sendOver(of, load.connections))) });
  // Pages of 4 KB are too coarse for the size of a few emails. Lone content is in the row for half of the days on average.
  const loneKilobytes = ((loads[0]?.bytes ?? 0) + (BODY_BYTES * DAYS_IN_ROW) / 2 / 30) / 1000;
  return [
    rowsWrittenRow("a lone email", lone, LONE_ROWS),
    costRow(`emails, each flushed alone, ${LONE_A_DAY} a day`, lone, loneKilobytes, 0.016),
    ...loads.map((load) => {
      const { final, bytes, dollars } = load;
      const what = `emails over ${load.connections} connections (${final.rowsWritten.toFixed(1)} rows written)`;
      return costRow(what, load, bytes / 1000, dollars);
    }),
    ...delegatedRows(),
  ];
}

async function measure(
  deployment: Deployment,
  emails: number,
  send: (deployment: Deployment) => Promise<Readings>,
): Promise<Measured> {
  const before = await deployment.databaseSize();
  await deployment.readings();
  const final = perEmail(await send(deployment), emails);
  await moveContent(deployment);
  const moved = perEmail(await deployment.readings(), emails);
  return { final, moved, bytes: ((await deployment.databaseSize()) - before) / emails };
}

/** Moves what is left in rows to R2, as the cron run of ten minutes does when the oldest email is three days old. */
async function moveContent(deployment: Deployment): Promise<void> {
  await deployment.sql("UPDATE emails SET created_at = created_at - ?1", DAYS_IN_ROW * 86_400_000);
  await deployment.host.scheduled("*/10 * * * *");
}

/** Sends emails while nothing else is sent: each shares no claim, flush or cron run of the minute. Returns the readings. */
async function sendLone(deployment: Deployment): Promise<Readings> {
  for (let email = 0; email < LONE; email++) {
    await deployment.call("POST", "/v1/emails/", deployment.mail(textOfSize(BODY_BYTES)));
    await finish(deployment);
  }
  return deployment.readings();
}

/** Sends emails over connections of one isolate while they are delivered. Returns the readings. */
async function sendOver(deployment: Deployment, connections: number): Promise<Readings> {
  const body = JSON.stringify(deployment.mail(textOfSize(BODY_BYTES)));
  let left = SENT;
  const send = async () => {
    while (left-- > 0) await (await deployment.call("POST", "/v1/emails/", body)).arrayBuffer();
  };
  await Promise.all(Array.from({ length: connections }, send));
  await finish(deployment);
  return deployment.readings();
}

/** Waits until the emails are final, then runs the cron task of the minute. */
async function finish(deployment: Deployment): Promise<void> {
  await deployment.waitUntilDrained();
  await deployment.host.scheduled("* * * * *");
}

function add(one: Readings, other: Readings): Readings {
  return mapReadings(one, (value, name) => value + other[name]);
}

export function perEmail(total: Readings, emails: number): Readings {
  return mapReadings(total, (value) => value / emails);
}

function mapReadings(readings: Readings, map: (value: number, name: keyof Readings) => number): Readings {
  const entries = Object.entries(readings).map(([name, value]) => [name, map(value, name as keyof Readings)]);
  return Object.fromEntries(entries) as Readings;
}

function rowsWrittenRow(what: string, { final: { rowsWritten }, moved }: Measured, budget: number): Row {
  return {
    what: `D1 rows written, accept to final: ${what}`,
    value: `${rowsWritten.toFixed(2)}; the move of its content to R2 writes ${moved.rowsWritten.toFixed(2)}`,
    budget: String(budget),
    isMet: rowsWritten <= budget,
  };
}

function costRow(what: string, { final, moved }: Measured, d1Kilobytes: number, budget: number): Row {
  const stored = { d1Kilobytes, r2Kilobytes: BODY_BYTES / 1000 };
  const dollars = costPerThousand(add(final, moved), CPU_MS, stored);
  return {
    what: `platform cost of 1,000 single ${what}, a month of storage included`,
    value: `$${dollars.toFixed(4)}; ${(1000 * d1Kilobytes).toFixed(0)} bytes in D1 each`,
    budget: `$${budget.toFixed(3)}`,
    isMet: dollars <= budget,
  };
}
