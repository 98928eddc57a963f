/** Measures rows written and platform cost of single emails. The counts are the same on every machine. */
import { setTimeout as sleep } from "node:timers/promises";
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
const SHARED = 100;
const BODY_BYTES = 8_000;
/** Rows written of an email from its accept to its end: alone, and of those that share claims, flushes and cron runs. */
const ROWS_BUDGET = { lone: 11, shared: 9.5 };
/** CPU time assumed for accept and delivery of a small email, in milliseconds. It is 2 % of the cost. */
const CPU_MS = 8;
/** Time in which the work after the last response ends, in milliseconds. */
const AFTER_RESPONSE_MS = 200;

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
  const shared = await measure(deployment, SHARED, sendShared);
  // Pages of 4 KB are too coarse for the size of a few emails. Lone content is in the row for half of the days on average.
  const loneKilobytes = (shared.bytes + (BODY_BYTES * DAYS_IN_ROW) / 2 / 30) / 1000;
  return [
    rowsWrittenRow("a lone email", lone, ROWS_BUDGET.lone),
    rowsWrittenRow(`each of ${SHARED} emails at once`, shared, ROWS_BUDGET.shared),
    costRow(`emails, each flushed alone, ${LONE_A_DAY} a day`, lone, loneKilobytes, 0.016),
    costRow(`emails in shared flushes, ${SHARED} at once`, shared, shared.bytes / 1000, 0.013),
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

/** Sends emails one by one that are delivered together. Returns the readings. */
async function sendShared(deployment: Deployment): Promise<Readings> {
  await deployment.control("pause-queue");
  const body = JSON.stringify(deployment.mail(textOfSize(BODY_BYTES)));
  for (let email = 0; email < SHARED; email++) await deployment.call("POST", "/v1/emails/", body);
  await sleep(AFTER_RESPONSE_MS);
  const accepted = await deployment.readings();
  await deployment.control("resume-queue");
  await deployment.control("sweep");
  await finish(deployment);
  const total = add(accepted, await deployment.readings());
  // The paused queue discarded the wake-ups of the accepts, and the sweep sent others instead: each of the first would
  // have been written, read and deleted.
  return { ...total, queueOperations: 3 * accepted.queueOperations };
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
