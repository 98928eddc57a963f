/**
 * Compares single sends with those of another checkout of this project, such as the commit before, in rounds of each in turn: at hand and
 * at a distance. BENCH_CHECKOUT is its folder, with its packages installed.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Traffic } from "../test/support/distance/remote.ts";
import { type Distance, distanceVariables } from "../test/support/distance/rules.ts";
import { cpuMs } from "./cpu.ts";
import { Deployment } from "./deployment.ts";
import { STRETCH, stretched } from "./distance/measure.ts";
import { inTurn, type Pair } from "./in-turn.ts";
import { type Loaded, sendFor } from "./load.ts";
import { Sink } from "./sink.ts";
import { median, type Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const CONNECTIONS = [1, 16, 64];
const BYTES = 1_000;
const AT_HAND = { where: "at hand", rounds: 11, ms: 1_500, factor: 1, distance: null };
const FAR = { where: "at a distance", rounds: 3, ms: 5_000, factor: STRETCH, distance: stretched({}, STRETCH) };

/** Rates a second; CPU and time of the mail database in milliseconds for each email, as are the counts. */
type Measured = Omit<Loaded, "emails"> & Record<"cpu" | "database" | "d1Calls" | "rows" | "queue", number>;

export async function measureCheckout(): Promise<Row[]> {
  const entry = path.resolve(process.env.BENCH_CHECKOUT ?? "", "bench/deployment.ts");
  if (!process.env.BENCH_CHECKOUT || !existsSync(entry))
    throw new Error("BENCH_CHECKOUT must be the folder of another checkout of this project");
  const other = (await import(pathToFileURL(entry).href)) as { Deployment: typeof Deployment };
  const rows: Row[] = [];
  for (const place of [AT_HAND, FAR]) rows.push(...(await compare(place, other.Deployment)));
  return rows;
}

async function compare(
  { where, rounds, ms, factor, distance }: typeof AT_HAND | typeof FAR,
  Other: typeof Deployment,
): Promise<Row[]> {
  const [own, other] = [await start(Deployment, distance), await start(Other, distance)];
  try {
    for (const one of [own, other, own, other]) await measure(one, { connections: 16, ms, factor });
    const rows: Row[] = [];
    for (const connections of CONNECTIONS) {
      const measureOne = (one: Started) => () => measure(one, { connections, ms, factor });
      const pairs = await inTurn(rounds, measureOne(own), measureOne(other));
      const what = `single emails of 1 KB ${where} at ${connections} connections, this checkout and the other`;
      rows.push({ what, value: describe(pairs), budget: "", isMet: true });
    }
    return rows;
  } finally {
    for (const { deployment, sink } of [own, other]) {
      await deployment.stop();
      sink.stop();
    }
  }
}

interface Started {
  deployment: Deployment;
  sink: Sink;
}

async function start(Of: typeof Deployment, distance: Distance | null): Promise<Started> {
  const sink = await Sink.start();
  return { sink, deployment: await Of.start(sink.url, distance ? distanceVariables(distance) : {}) };
}

/** `factor`: times are this many times as long as they stand for. */
async function measure(
  { deployment, sink }: Started,
  { connections, ms, factor }: { connections: number; ms: number; factor: number },
): Promise<Measured> {
  const body = JSON.stringify(deployment.mail(textOfSize(BYTES)));
  const target = {
    sink,
    send: async () => void (await (await deployment.call("POST", "/v1/emails/", body)).arrayBuffer()),
    waitUntilDrained: () => deployment.waitUntilDrained(),
  };
  await deployment.readings();
  await deployment.traffic();
  const cpuBefore = await cpuMs(deployment.workerdPid);
  const { emails, accepted, arrived } = await sendFor(target, connections, ms);
  const cpu = ((await cpuMs(deployment.workerdPid)) - cpuBefore) / emails;
  const { d1Calls, rowsWritten, queueOperations } = await deployment.readings();
  // Null at hand.
  const traffic = (await deployment.traffic()) as Traffic | null;
  const busy = Object.entries(traffic?.busyMs ?? {}).filter(([name]) => name !== "DB");
  return {
    accepted: accepted * factor,
    arrived: arrived * factor,
    cpu,
    database: busy.reduce((sum, [, busyMs]) => sum + busyMs, 0) / emails / factor,
    d1Calls: d1Calls / emails,
    rows: rowsWritten / emails,
    queue: queueOperations / emails,
  };
}

function describe(pairs: readonly Pair<Measured>[]): string {
  const of = (name: keyof Measured, digits: number) => {
    const value = (which: keyof Pair<Measured>) => median(pairs.map((pair) => pair[which][name])).toFixed(digits);
    const ratio = median(pairs.map(({ own, other }) => own[name] / other[name])).toFixed(2);
    return ratio === "NaN" ? "not measured" : `${value("own")} and ${value("other")}, ratio ${ratio}`;
  };
  return [
    `accepted ${of("accepted", 0)}; arrived ${of("arrived", 0)} a second`,
    `ms of CPU ${of("cpu", 1)}; ms of the mail database ${of("database", 1)}`,
    `D1 calls ${of("d1Calls", 1)}; rows written ${of("rows", 1)}; queue operations ${of("queue", 1)}`,
  ].join("; ");
}
