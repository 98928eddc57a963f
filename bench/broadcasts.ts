/** Measures a broadcast to 20,000 contacts: its fan-out, single emails behind it, and the rows and cost of its emails. */
import { setTimeout as sleep } from "node:timers/promises";
import { perEmail } from "./cost.ts";
import { cpuMs } from "./cpu.ts";
import type { Bench, Deployment } from "./deployment.ts";
import { costPerThousand } from "./prices.ts";
import type { Sink } from "./sink.ts";
import { percentile, type Row } from "./table.ts";

const CONTACTS = 20_000;
const SINGLE_SENDS = 21;
const TRIPS_BUDGET = 6;
const ROWS_BUDGET = 4.5;
const COST_BUDGET = 0.005;
const LATENCY_BUDGET_MS = 400;
const TIMEOUT_MS = 10 * 60_000;
const MINUTE_MS = 60_000;

interface Broadcast {
  id: string;
}

export async function measureBroadcasts({ deployment, sink }: Bench): Promise<Row[]> {
  const contact_list_id = await insertList(deployment, CONTACTS);
  const { id } = await json<Broadcast>(
    deployment.call("POST", "/v1/broadcasts/", {
      name: "Bench",
      subject: "News for {{name}}",
      from_address: deployment.seed.mailbox,
      html_body: '<p>Hello {{name}}</p><p><a href="https://example.com/news">News</a></p>',
      text_body: "Hello {{name}}",
      contact_list_id,
    }),
  );
  await deployment.control("pause-queue");
  await deployment.call("POST", `/v1/broadcasts/${id}/send`);
  // A paused broadcast makes its emails and delivers none.
  await deployment.call("POST", `/v1/broadcasts/${id}/pause`);
  await deployment.control("resume-queue");
  await deployment.readings();
  const sizeBefore = await deployment.databaseSize();
  const cpuBefore = await cpuMs(deployment.workerdPid);
  const started = performance.now();
  await deployment.control("sweep");
  await waitFor(deployment, "SELECT coalesce(sum(queued), 0) AS n FROM broadcast_counts", (n) => n >= CONTACTS);
  const seconds = (performance.now() - started) / 1000;
  await sleep(500);
  const fanOut = await deployment.readings();
  await deployment.call("POST", `/v1/broadcasts/${id}/resume`);
  // Until its emails leave, so that the single ones meet runs in progress.
  await sleep(1_000);
  const latencies = await sendSingles(deployment, sink);
  const [left] = await deployment.sql<{ n: number }>("SELECT sum(queued - attempted) AS n FROM broadcast_counts");
  await waitFor(deployment, "SELECT sum(queued - attempted) AS n FROM broadcast_counts", (n) => n === 0);
  await deployment.waitUntilDrained();
  await deployment.host.scheduled("* * * * *");
  const delivery = await deployment.readings();
  const total = Object.fromEntries(
    Object.entries(fanOut).map(([name, value]) => [name, value + delivery[name as keyof typeof delivery]]),
  ) as typeof fanOut;
  const each = perEmail(total, CONTACTS + SINGLE_SENDS);
  const bytes = ((await deployment.databaseSize()) - sizeBefore) / (CONTACTS + SINGLE_SENDS);
  const cpu = ((await cpuMs(deployment.workerdPid)) - cpuBefore) / (CONTACTS + SINGLE_SENDS);
  const trips = (fanOut.d1Calls * 1000) / CONTACTS;
  const dollars = costPerThousand(each, cpu, { d1Kilobytes: bytes / 1000, r2Kilobytes: 0 });
  const [median, p95] = [percentile(latencies, 50), percentile(latencies, 95)];
  return [
    row(`D1 calls of the fan-out of ${CONTACTS.toLocaleString("en")} contacts, per 1,000`, trips, TRIPS_BUDGET, {
      value: `${trips.toFixed(2)} (${seconds.toFixed(1)} s)`,
    }),
    row("D1 rows written, fan-out to final: each email of a broadcast", each.rowsWritten, ROWS_BUDGET),
    row("platform cost of 1,000 emails of a broadcast, a month of storage included", dollars, COST_BUDGET, {
      value: `$${dollars.toFixed(5)}; ${bytes.toFixed(0)} bytes in D1 and ${cpu.toFixed(1)} ms of CPU each`,
      budget: `$${COST_BUDGET.toFixed(3)}`,
    }),
    row("single emails while a broadcast is delivered, from the 202 to the egress: median", median, LATENCY_BUDGET_MS, {
      value: `${median.toFixed(0)} ms, 95 % ${p95.toFixed(0)} ms (${left?.n ?? 0} emails of the broadcast waiting at the end)`,
      budget: `${LATENCY_BUDGET_MS} ms`,
    }),
  ];
}

/** Inserts a list of contacts by SQL. Returns its id. */
export async function insertList(deployment: Deployment, contacts: number): Promise<string> {
  const id = crypto.randomUUID();
  const { workspaceNumber } = deployment.seed;
  await deployment.sql(
    "INSERT INTO contact_lists (workspace, id, name, contact_count, created_at) VALUES (?1, ?2, 'Bench', ?3, 0)",
    ...[workspaceNumber, id, contacts],
  );
  await deployment.sql(
    `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?3)
     INSERT INTO contacts (workspace, list, id, email, email_key, name, created_at)
     SELECT ?1, l.n, printf('01900000-0000-7000-8000-%012d', i), 'c' || i || '@example.org', 'c' || i || '@example.org',
       'Person ' || i, 0 FROM contact_lists l, numbers WHERE l.id = ?2`,
    ...[workspaceNumber, id, contacts],
  );
  return id;
}

/** Sends emails one after the other. Returns the milliseconds from each 202 to the final dot at the egress. */
async function sendSingles(deployment: Deployment, sink: Sink): Promise<number[]> {
  const latencies: number[] = [];
  for (let send = 0; send < SINGLE_SENDS; send++) {
    const email = `single-${send}@example.org`;
    const mail = { ...deployment.mail("Your code is 123456."), to: [{ email }] };
    const response = await deployment.call("POST", "/v1/emails/", mail);
    const respondedAt = performance.now();
    await response.arrayBuffer();
    latencies.push((await sink.arrivalOf(email)) - respondedAt);
  }
  return latencies;
}

/** Polls a number until `isDone`, and runs the cron trigger each minute. */
export async function waitFor(deployment: Deployment, sql: string, isDone: (n: number) => boolean): Promise<void> {
  const end = Date.now() + TIMEOUT_MS;
  let nextCron = Date.now() + MINUTE_MS;
  for (;;) {
    const [found] = await deployment.sql<{ n: number }>(sql);
    if (found && isDone(found.n)) return;
    if (Date.now() > end) throw new Error(`${sql}: still ${found?.n} after ${TIMEOUT_MS / 1000} seconds`);
    if (Date.now() > nextCron) {
      await deployment.host.scheduled("* * * * *");
      nextCron += MINUTE_MS;
    }
    await sleep(50);
  }
}

async function json<Out>(response: Promise<Response>): Promise<Out> {
  return (await response).json() as Promise<Out>;
}

function row(what: string, measured: number, budget: number, shown: { value?: string; budget?: string } = {}): Row {
  return {
    what,
    value: shown.value ?? measured.toFixed(2),
    budget: shown.budget ?? String(budget),
    isMet: measured <= budget,
  };
}
