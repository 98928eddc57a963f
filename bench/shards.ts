/** Measures a run over four mail databases against one with the same workspaces, and a sweep of 64 that have no work. */
import { perEmail } from "./cost.ts";
import { type Bench, Deployment } from "./deployment.ts";
import type { Readings } from "./meter.ts";
import { Sink } from "./sink.ts";
import { median, type Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const DATABASES = 64;
const WORKSPACES = 4;
const ROUNDS = 3;
const EMAILS = 400;
const AT_ONCE = 20;
const BYTES = 1_000;
const TICKS = 5;
const RATE_BUDGET = 0.9;
/** Four claims that end at different times flush the last outcomes of each apart. */
const CALLS_BUDGET = 1.1;
const ROWS_BUDGET = 1.02;
const TICK_BUDGET_MS = 500;

interface Run {
  rate: number;
  each: Readings;
  connections: number;
}

export async function measureShards(_: Bench): Promise<Row[]> {
  const sink = await Sink.start();
  const deployment = await Deployment.start(sink.url, DATABASES);
  try {
    const one = await seedWorkspaces(deployment, [0, 0, 0, 0]);
    const four = await seedWorkspaces(deployment, [0, 1, 2, 3]);
    await drain(deployment, sink, one, [0]);
    const [onOne, onFour]: [Run[], Run[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      onOne.push(await drain(deployment, sink, one, [0]));
      onFour.push(await drain(deployment, sink, four, [0, 1, 2, 3]));
    }
    return [...compare(onOne, onFour), await measureTick(deployment)];
  } finally {
    await deployment.stop();
    sink.stop();
  }
}

/** Creates a workspace on each of these mail databases. */
async function seedWorkspaces(deployment: Deployment, shards: readonly number[]): Promise<Deployment[]> {
  const seeds: Deployment[] = [];
  for (const shard of shards) {
    const domain = `w${crypto.randomUUID().slice(0, 8)}.example`;
    const response = await deployment.control("seed", { domain, shard });
    seeds.push(new Deployment(deployment.host, await response.json()));
  }
  return seeds;
}

/** Accepts emails of the workspaces in turns, then delivers all of them in one run. */
async function drain(
  deployment: Deployment,
  sink: Sink,
  workspaces: readonly Deployment[],
  shards: readonly number[],
): Promise<Run> {
  await deployment.control("pause-queue");
  for (let n = 0; n < EMAILS; n += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, at) => {
        const workspace = workspaces[at % WORKSPACES] ?? deployment;
        await (await workspace.call("POST", "/v1/emails/", workspace.mail(textOfSize(BYTES)))).arrayBuffer();
      }),
    );
  }
  await deployment.readings();
  const [arrived, connections] = [sink.arrivals.length, sink.connections];
  const startedAt = performance.now();
  await deployment.control("run", { shards });
  const seconds = (performance.now() - startedAt) / 1000;
  const each = perEmail(await deployment.readings(), EMAILS);
  await sink.waitFor(arrived + EMAILS);
  await deployment.control("resume-queue");
  return { rate: EMAILS / seconds, each, connections: sink.connections - connections };
}

function compare(one: readonly Run[], four: readonly Run[]): Row[] {
  const ratio = median(four.map(({ rate }, round) => rate / (one[round]?.rate ?? Number.NaN)));
  const rates = (runs: readonly Run[]) => runs.map(({ rate }) => rate.toFixed(0)).join(", ");
  return [
    {
      what: "run over 4 mail databases against 1: emails a second",
      value: `${ratio.toFixed(2)}x (${rates(four)} against ${rates(one)})`,
      budget: `${RATE_BUDGET}x`,
      isMet: ratio >= RATE_BUDGET,
    },
    countRow("D1 calls of an email", CALLS_BUDGET, one, four, ({ each }) => each.d1Calls),
    countRow("D1 rows written of an email", ROWS_BUDGET, one, four, ({ each }) => each.rowsWritten),
    countRow("SMTP connections of a run", 1, one, four, ({ connections }) => connections),
  ];
}

/** Returns the row that compares a count; `budget` is the greatest ratio. */
function countRow(
  what: string,
  budget: number,
  one: readonly Run[],
  four: readonly Run[],
  countOf: (run: Run) => number,
): Row {
  const [before, after] = [median(one.map(countOf)), median(four.map(countOf))];
  return {
    what: `run over 4 mail databases against 1: ${what}`,
    value: `${after.toFixed(2)} against ${before.toFixed(2)}`,
    budget: `${budget}x`,
    isMet: after <= before * budget,
  };
}

/** Measures the sweep of each minute over all databases in one invocation. */
async function measureTick(deployment: Deployment): Promise<Row> {
  await deployment.control("tick");
  await deployment.readings();
  const times: number[] = [];
  for (let n = 0; n < TICKS; n++) {
    const startedAt = performance.now();
    await deployment.control("tick");
    times.push(performance.now() - startedAt);
  }
  const { d1Calls } = perEmail(await deployment.readings(), TICKS);
  const ms = median(times);
  return {
    what: `cron of the minute over ${DATABASES} mail databases without work, in one invocation`,
    value: `${ms.toFixed(0)} ms, ${d1Calls.toFixed(0)} D1 calls`,
    budget: `${TICK_BUDGET_MS} ms`,
    isMet: ms <= TICK_BUDGET_MS,
  };
}
