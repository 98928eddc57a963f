/** Measures rates, latencies and capacity with bindings as far away as those of Cloudflare. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Distance, distanceVariables, FAR } from "../../test/support/distance/rules.ts";
import { type Bench, Deployment } from "../deployment.ts";
import { percentile, type Row } from "../table.ts";
import { textOfSize } from "../text.ts";
import { type Loaded, sendLoad } from "./load.ts";

/**
 * All times of the distance are this many times as long, and results are divided by it: the CPU of this machine, on which the
 * Worker shares two cores with its databases, then takes a fifth of its part in them.
 */
export const STRETCH = 5;
const LOADS = [
  { connections: 1, least: 15 },
  { connections: 16, least: 200 },
  { connections: 64, least: 500 },
];
const LOAD_MS = 8_000;
const TRIALS = 100;
/** Requests that are measured side by side, where none waits for another. */
const SIDE_BY_SIDE = 4;
/** Time without work before each lone email, in milliseconds. */
const IDLE_MS = 50;
const BATCHES = 4;
const BATCH = 500;
/** Shares of the calls of every binding. */
const FAILURES: Partial<Distance> = { overloaded: 0.01, ambiguous: 0.005, slow: 0.01 };
const FAILING_MS = 20_000;
/** Most sends that may get no 202, in percent. */
const MAX_REFUSED = 0.5;
/** Median and 99 % in milliseconds, from the round trips one after the other (docs/performance.md#at-a-distance). */
const BUDGETS = {
  accept: [50, 70],
  large: [95, 125],
  delivery: [80, 140],
  list: [45, 65],
  batch: [200, 260],
} as const;
/** Emails a second. */
const CAPACITY = { mail: 700, main: 700, batch: 1_500 };

export async function measureDistance({ sink }: Bench): Promise<Row[]> {
  return [
    ...(await withDeployment(sink, stretched({}, STRETCH), measureFair)),
    ...(await withDeployment(sink, stretched(FAILURES, STRETCH), measureFailing)),
  ];
}

/** Returns the distance with all times longer by a factor. */
export function stretched(distance: Partial<Distance>, factor: number): Distance {
  const whole = { ...FAR, ...distance };
  const times = Object.entries(whole).map(([name, value]) => [name, name.endsWith("Ms") ? value * factor : value]);
  return Object.fromEntries(times) as Distance;
}

async function withDeployment(
  sink: Bench["sink"],
  distance: Partial<Distance>,
  measure: (bench: Bench) => Promise<Row[]>,
): Promise<Row[]> {
  const deployment = await Deployment.start(sink.url, distanceVariables(distance));
  try {
    const bench = { deployment, sink };
    await sendLoad(bench, { connections: SIDE_BY_SIDE, ms: 1_000 });
    return await measure(bench);
  } finally {
    await deployment.stop();
  }
}

async function measureFair(bench: Bench): Promise<Row[]> {
  const rows = await measureLone(bench);
  for (const { connections, least } of LOADS) {
    await bench.deployment.traffic();
    const loaded = await sendLoad(bench, { connections, ms: LOAD_MS });
    const { value, accepted } = rates(loaded, STRETCH);
    const what = `single emails at ${connections} connections: accepted, arrived; 202, delivery: median and 99 %`;
    rows.push(row(what, value, `at least ${least} accepted`, accepted >= least));
    if (connections === LOADS.at(-1)?.connections) rows.push(...(await capacity(bench, loaded.accepts.length)));
  }
  return [...rows, ...(await measureBatches(bench)), ...(await measureLists(bench))];
}

/** Measures single emails one after the other, while nothing else happens, and then the 202 of those with large content. */
async function measureLone({ deployment, sink }: Bench): Promise<Row[]> {
  const accepts: number[] = [];
  const deliveries: number[] = [];
  for (let trial = 0; trial < TRIALS; trial++) {
    const email = `lone-${trial}@example.org`;
    const mail = { ...deployment.mail("Your code is 123456."), to: [{ email }] };
    const { ms, respondedAt } = await timed(deployment, "POST", "/v1/emails/", mail);
    accepts.push(ms / STRETCH);
    deliveries.push(((await sink.arrivalOf(email)) - respondedAt) / STRETCH);
    await deployment.waitUntilDrained();
    await sleep(IDLE_MS);
  }
  const large = await repeat(deployment, "POST", "/v1/emails/", deployment.mail(textOfSize(32_000)));
  await deployment.waitUntilDrained();
  return [
    latency("202 of a lone email", accepts, BUDGETS.accept),
    latency("202 of an email of 32 KB", large, BUDGETS.large),
    latency("lone email, from its 202 to the egress", deliveries, BUDGETS.delivery),
  ];
}

/** Measures pages of a workspace that has the emails of the parts before. */
async function measureLists({ deployment }: Bench): Promise<Row[]> {
  const [{ n } = { n: 0 }] = await deployment.sql<{ n: number }>("SELECT count(*) AS n FROM emails");
  const times = await repeat(deployment, "GET", "/v1/emails/?limit=50");
  return [latency(`page of 50 of ${n} emails`, times, BUDGETS.list)];
}

async function measureBatches({ deployment, sink }: Bench): Promise<Row[]> {
  await deployment.traffic();
  const arrivedBefore = sink.arrivals.length;
  const startedAt = performance.now();
  const times: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const mails = Array.from({ length: BATCH }, (_, n) => ({
      ...deployment.mail(textOfSize(1_000)),
      to: [{ email: `batch-${batch}-${n}@example.org` }],
    }));
    times.push((await timed(deployment, "POST", "/v1/emails/batch", mails)).ms / STRETCH);
  }
  await deployment.waitUntilDrained();
  const { busyMs } = await deployment.traffic();
  const [, mail] = perSecond(busyMs, BATCH * BATCHES);
  const seconds = ((sink.arrivals.at(-1) ?? Number.NaN) - startedAt) / 1_000 / STRETCH;
  const arrived = (sink.arrivals.length - arrivedBefore) / seconds;
  return [
    latency(`response to a batch of ${BATCH}`, times, BUDGETS.batch),
    row(`emails of ${BATCHES} batches: arrived`, `${arrived.toFixed(0)} a second`, "", true),
    capacityRow("one mail database, batches", mail, CAPACITY.batch),
  ];
}

/** Measures what customers notice while a share of the calls of every binding fails. */
async function measureFailing(bench: Bench): Promise<Row[]> {
  await bench.deployment.traffic();
  const loaded = await sendLoad(bench, { connections: 16, ms: FAILING_MS, hasLarge: true });
  const { ended } = await bench.deployment.traffic();
  const calls = Object.values(ended).reduce((sum, count) => sum + count, 0);
  const total = loaded.accepts.length + loaded.refused;
  const percent = (100 * loaded.refused) / total;
  const lost = ended["lost-before"] + ended["lost-after"];
  const failed = `${ended.overloaded} overloaded, ${lost} lost and ${ended.slow} slow of ${calls} calls`;
  return [
    row(
      "single emails of 1 and 32 KB at 16 connections while calls fail",
      `${rates(loaded, STRETCH).value}; ${failed}`,
      "",
      true,
    ),
    row(
      "the same: sends that got no 202, emails that arrived twice",
      `${loaded.refused} of ${total} (${percent.toFixed(2)} %), ${loaded.repeated}`,
      `${MAX_REFUSED} %, 0`,
      percent <= MAX_REFUSED && loaded.repeated === 0,
    ),
  ];
}

/** Returns the times of calls, in milliseconds of the distance. */
async function repeat(deployment: Deployment, method: string, path: string, body?: object): Promise<number[]> {
  const times: number[] = [];
  const callUntilDone = async () => {
    for (let call = 0; call < TRIALS / SIDE_BY_SIDE; call++)
      times.push((await timed(deployment, method, path, body)).ms / STRETCH);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, callUntilDone));
  return times;
}

async function timed(deployment: Deployment, method: string, path: string, body?: object) {
  const sentAt = performance.now();
  await (await deployment.call(method, path, body)).arrayBuffer();
  const respondedAt = performance.now();
  return { ms: respondedAt - sentAt, respondedAt };
}

/**
 * Returns how many emails a second the main database and the mail database sustain, by the time for which these emails have
 * occupied them. This does not depend on the machine.
 */
function perSecond(busyMs: Readonly<Record<string, number>>, emails: number): [number, number] {
  const of = (name: string) => (1_000 * STRETCH * emails) / (busyMs[name] ?? Number.NaN);
  return [of("DB"), of("MAIL_0")];
}

async function capacity({ deployment }: Bench, emails: number): Promise<Row[]> {
  const [main, mail] = perSecond((await deployment.traffic()).busyMs, emails);
  return [
    capacityRow("one mail database, single emails", mail, CAPACITY.mail),
    capacityRow("the main database, single emails", main, CAPACITY.main),
  ];
}

const capacityRow = (what: string, emails: number, budget: number): Row =>
  row(`capacity of ${what}`, `${emails.toFixed(0)} emails a second`, `at least ${budget}`, emails >= budget);

function rates(loaded: Loaded, stretch: number): { value: string; accepted: number } {
  const [accepted, arrived] = [loaded.accepted * stretch, loaded.arrived * stretch];
  const of = (times: readonly number[]) => pair(times.map((ms) => ms / stretch));
  const times = `${of(loaded.accepts)}, ${of(loaded.deliveries)}`;
  return { value: `${accepted.toFixed(0)} and ${arrived.toFixed(0)} a second; ${times}`, accepted };
}

function latency(what: string, times: readonly number[], [median, p99]: readonly [number, number]): Row {
  const isMet = percentile(times, 50) <= median && percentile(times, 99) <= p99;
  return row(`${what}: median and 99 %`, `${pair(times)} of ${times.length}`, `${median} and ${p99} ms`, isMet);
}

const pair = (times: readonly number[]) =>
  `${percentile(times, 50).toFixed(0)} and ${percentile(times, 99).toFixed(0)} ms`;

const row = (what: string, value: string, budget: string, isMet: boolean): Row => ({
  what: `at a distance: ${what}`,
  value,
  budget,
  isMet,
});
