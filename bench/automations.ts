/** Measures the cost of steps of automations, emails apart, when 1,000 are spread over an hour: those that are due in one minute. */
import { type Bench, Deployment } from "./deployment.ts";
import { distanceVariables, stretched } from "./distance/rules.ts";
import type { Readings } from "./meter.ts";
import { costPerThousand } from "./prices.ts";
import { percentile, type Row } from "./table.ts";

/** 1,000 steps an hour are 16 or 17 a minute. */
const RUNS_PER_MINUTE = 17;
const MINUTES = 12;
const BUDGET = 0.01;
/** CPU time of a step, in milliseconds: that of its share of a run of the engine. */
const CPU_MS = 1;
/** Bytes that a run takes, of which a third is that of a step. */
const STORED = { d1Kilobytes: 0.4, r2Kilobytes: 0 };
/** Time in which the queue ends the work that a call has caused, in milliseconds. */
const AFTER_MS = 400;
/** At a distance the times are this many times as long, and the results divided by it (bench/distance/measure.ts). */
const STRETCH = 5;

interface Automation {
  id: string;
  counters: { completed: number; active: number; entered: number };
}

/** People who enter an automation while single emails are sent, and those of one call. */
const BUSY_PEOPLE = 2_000;
const EVENTS_PER_CALL = 100;
const LATENCY_BUDGET = 400;

/** A deployment, and how many times as long all times are in it. */
type Place = Bench & { stretch: number };

export async function measureAutomations(bench: Bench): Promise<Row[]> {
  const atHand = { ...bench, stretch: 1 };
  const rows = [...(await measureCost(atHand)), ...(await measureEmailsMeanwhile(atHand))];
  const distance = distanceVariables(stretched({}, STRETCH));
  const deployment = await Deployment.start(bench.sink.url, undefined, false, distance);
  try {
    const far = { deployment, sink: bench.sink, stretch: STRETCH };
    for (const row of [...(await measureCost(far)), ...(await measureEmailsMeanwhile(far))])
      rows.push({ ...row, what: `at a distance: ${row.what}` });
  } finally {
    await deployment.stop();
  }
  return rows;
}

/** Measures the time from the 202 of a single email to the egress while people go through the steps of an automation. */
async function measureEmailsMeanwhile({ deployment, sink, stretch }: Place): Promise<Row[]> {
  const list = (await json<{ id: string }>(deployment, "POST", "/v1/contacts/", { name: "Busy" })).id;
  const everyone = [...Array(BUSY_PEOPLE).keys()].map((n) => `b${n}@example.org`);
  for (let at = 0; at < everyone.length; at += EVENTS_PER_CALL)
    await Promise.all(
      everyone
        .slice(at, at + EVENTS_PER_CALL)
        .map((email) => json(deployment, "POST", `/v1/contacts/${list}/contacts`, { email })),
    );
  const { id } = await json<Automation>(deployment, "POST", "/v1/automations/", {
    ...{ name: "Busy", trigger: { event: "busy" } },
    steps: Array.from({ length: 5 }, (_, n) => ({ kind: "set_field", field: `f${n}`, value: "x" })),
  });
  await json(deployment, "POST", `/v1/automations/${id}/activate`);
  const entering = (async () => {
    for (let at = 0; at < everyone.length; at += EVENTS_PER_CALL) {
      const events = everyone.slice(at, at + EVENTS_PER_CALL).map((email) => ({ name: "busy", email }));
      await json(deployment, "POST", "/v1/events/batch", events);
      await pass(500 * stretch);
    }
  })();
  const body = JSON.stringify(deployment.mail("Your code is 123456."));
  const times: number[] = [];
  let isOver = false;
  void entering.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const arrived = sink.arrivals.length;
    await (await deployment.call("POST", "/v1/emails/", body)).arrayBuffer();
    const respondedAt = performance.now();
    await sink.waitFor(arrived + 1);
    times.push(((sink.arrivals[arrived] ?? Number.NaN) - respondedAt) / stretch);
    await pass(100 * stretch);
  }
  await entering;
  await waitFor(deployment, id, ({ counters }) => counters.completed === BUSY_PEOPLE);
  const [median, p95] = [percentile(times, 50), percentile(times, 95)];
  return [
    {
      what: `a single email from its 202 to the egress while ${BUSY_PEOPLE.toLocaleString("en")} people go through five steps at 200 a second: median and 95 %`,
      value: `${median.toFixed(0)} and ${p95.toFixed(0)} ms of ${times.length}`,
      budget: `${LATENCY_BUDGET} ms`,
      isMet: p95 <= LATENCY_BUDGET,
    },
  ];
}

async function measureCost({ deployment, stretch }: Place): Promise<Row[]> {
  const list = (await json<{ id: string }>(deployment, "POST", "/v1/contacts/", { name: "Automations" })).id;
  const people = RUNS_PER_MINUTE * MINUTES;
  for (let n = 0; n < people; n++)
    await json(deployment, "POST", `/v1/contacts/${list}/contacts`, { email: `a${n}@example.org` });
  // A change, a wait and a change: the wait ends when the clock of the row says so.
  const { id } = await json<Automation>(deployment, "POST", "/v1/automations/", {
    ...{ name: "Bench", trigger: { event: "bench" } },
    steps: [
      { kind: "wait", for: { days: 1 } },
      { kind: "set_field", field: "plan", value: "gold" },
      { kind: "wait", for: { days: 1 } },
    ],
  });
  await json(deployment, "POST", `/v1/automations/${id}/activate`);
  await json(
    deployment,
    "POST",
    "/v1/events/batch",
    [...Array(people).keys()].map((n) => ({ name: "bench", email: `a${n}@example.org` })),
  );
  await waitFor(deployment, id, ({ counters }) => counters.entered === people);
  await pass(AFTER_MS * stretch);
  const costs: number[] = [];
  const rows: number[] = [];
  for (let minute = 0; minute < MINUTES; minute++) {
    await makeDue(deployment, minute);
    await deployment.readings();
    await deployment.host.scheduled("* * * * *");
    await pass(AFTER_MS * stretch);
    // The sweep is made whether or not an automation is due.
    const swept = await deployment.readings();
    const each = perStep(swept, RUNS_PER_MINUTE * 2);
    costs.push(costPerThousand(each, CPU_MS, STORED));
    rows.push(each.rowsWritten);
  }
  const cost = percentile(costs, 50);
  return [
    {
      what: `1,000 steps of automations in an hour, emails apart: a change of a field and the end of a wait, ${RUNS_PER_MINUTE} runs a minute`,
      value: `$${cost.toFixed(4)} (${percentile(rows, 50).toFixed(1)} D1 rows written a step)`,
      budget: `$${BUDGET}`,
      isMet: cost <= BUDGET,
    },
  ];
}

/** Ends the first waits of the next runs. */
async function makeDue(deployment: Deployment, minute: number): Promise<void> {
  await deployment.sql(
    `UPDATE automation_runs SET due_at = 1, wait_until = 1 WHERE n IN (
       SELECT n FROM automation_runs WHERE workspace = ?1 ORDER BY n LIMIT ?2 OFFSET ?3)`,
    deployment.seed.workspaceNumber,
    RUNS_PER_MINUTE,
    minute * RUNS_PER_MINUTE,
  );
}

function perStep(readings: Readings, steps: number): Readings {
  return Object.fromEntries(
    Object.entries(readings).map(([name, count]) => [name, count / steps]),
  ) as unknown as Readings;
}

async function json<Out>(deployment: Deployment, method: string, path: string, body?: unknown): Promise<Out> {
  const response = await deployment.call(method, path, body);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Out;
}

/** Waits until the automation passes a test. Throws after five minutes. */
async function waitFor(
  deployment: Deployment,
  id: string,
  isReady: (automation: Automation) => boolean,
): Promise<void> {
  for (const end = Date.now() + 300_000; ; ) {
    const automation = await json<Automation>(deployment, "GET", `/v1/automations/${id}`);
    if (isReady(automation)) return;
    if (Date.now() > end) throw new Error(`the automation is not ready: ${JSON.stringify(automation.counters)}`);
    await pass(50);
  }
}

const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
