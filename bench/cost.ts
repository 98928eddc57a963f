/** Measures rows written and platform cost of single emails. The counts are the same on every machine. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "./deployment.ts";
import type { Readings } from "./meter.ts";
import type { Bench } from "./parts.ts";
import { costPerThousand } from "./prices.ts";
import type { Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const LONE = 5;
const SHARED = 100;
const BODY_OCTETS = 8_000;
const ROWS_BUDGET = 9;
/** CPU time assumed for accept and delivery of a small email, in milliseconds. It is 2 % of the cost. */
const CPU_MS = 8;
/** Time in which the work after the last answer ends, in milliseconds. */
const AFTER_ANSWER_MS = 200;

export async function measureCosts({ deployment }: Bench): Promise<Row[]> {
  await deployment.call("POST", "/v1/emails/", deployment.mail("warm"));
  await finish(deployment);
  const lone = await measureLone(deployment);
  const shared = await measureShared(deployment);
  return [
    rowsWrittenRow("a lone email", lone),
    rowsWrittenRow(`each of ${SHARED} emails at once`, shared),
    await costRow(deployment, "emails, each flushed alone", lone, 0.015),
    await costRow(deployment, `emails in shared flushes, ${SHARED} at once`, shared, 0.013),
  ];
}

/** Returns the mean readings of an email that is sent while nothing else is: it shares no claim, flush or cron run. */
async function measureLone(deployment: Deployment): Promise<Readings> {
  await deployment.readings();
  for (let email = 0; email < LONE; email++) {
    await deployment.call("POST", "/v1/emails/", deployment.mail(textOfSize(BODY_OCTETS)));
    await finish(deployment);
  }
  return perEmail(await deployment.readings(), LONE);
}

/** Returns the mean readings of emails that are accepted one by one and delivered together. */
async function measureShared(deployment: Deployment): Promise<Readings> {
  await deployment.control("pause-queue");
  const body = JSON.stringify(deployment.mail(textOfSize(BODY_OCTETS)));
  for (let email = 0; email < SHARED; email++) await deployment.call("POST", "/v1/emails/", body);
  await sleep(AFTER_ANSWER_MS);
  const accepted = await deployment.readings();
  await deployment.control("resume-queue");
  await deployment.control("sweep");
  await finish(deployment);
  const total = add(accepted, await deployment.readings());
  // The paused queue discarded the wake-ups of the accepts, and the sweep sent others instead: each of the first would
  // have been written, read and deleted.
  return perEmail({ ...total, queueOperations: 3 * accepted.queueOperations }, SHARED);
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

function rowsWrittenRow(what: string, { rowsWritten }: Readings): Row {
  return {
    what: `D1 rows written, accept to final: ${what}`,
    value: rowsWritten.toFixed(2),
    budget: String(ROWS_BUDGET),
    isMet: rowsWritten <= ROWS_BUDGET,
  };
}

async function costRow(deployment: Deployment, what: string, each: Readings, budget: number): Promise<Row> {
  const [size] = await deployment.sql<{ bytes: number }>(
    "SELECT avg(length(recipients) + length(events) + length(subject) + length(message_id) + 280) AS bytes FROM emails WHERE workspace = ?1",
    deployment.seed.workspaceNumber,
  );
  const stored = { d1Kilobytes: (size?.bytes ?? 0) / 1000, r2Kilobytes: BODY_OCTETS / 1000 };
  const dollars = costPerThousand(each, CPU_MS, stored);
  return {
    what: `platform cost of 1,000 single ${what}, a month of storage included`,
    value: `$${dollars.toFixed(4)}`,
    budget: `$${budget.toFixed(3)}`,
    isMet: dollars <= budget,
  };
}
