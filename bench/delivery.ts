/** Measures batches of 1 KB and 10 KB emails: rate and CPU of their accept, then rate and CPU of their delivery. */

import { cpuMs } from "./cpu.ts";
import type { Bench } from "./deployment.ts";
import { median, type Row } from "./table.ts";
import { textOfSize } from "./text.ts";

const ROUNDS = 3;
const BATCHES = 3;
const ITEMS = 500;
const EMAILS = BATCHES * ITEMS;
/** Emails composed and signed by the reference. */
const COMPOSED = 400;
/** Sizes of the text in bytes, and CPU budgets in milliseconds for each email. Null: none. */
const SIZES = [
  { bytes: 1_000, acceptMs: null, deliveryMs: 0.9 },
  { bytes: 10_000, acceptMs: 0.3, deliveryMs: 1.2 },
];

/** Rates are emails a second, CPU times milliseconds for each email. */
interface Round {
  acceptRate: number;
  acceptMs: number;
  arrivalRate: number;
  deliveryMs: number;
  composeMs: number;
}

export async function measureDelivery(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { bytes, acceptMs, deliveryMs } of SIZES) {
    // V8 compiles in the first round what the others run.
    await measureRound(bench, bytes);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await measureRound(bench, bytes));
    const values = (name: keyof Round) => rounds.map((round) => round[name]);
    const cpu = (name: keyof Round) =>
      `${median(values(name)).toFixed(2)} ms (${values(name)
        .map((value) => value.toFixed(2))
        .join(", ")})`;
    const rate = (name: keyof Round) => `${median(values(name)).toFixed(0)} a second`;
    const size = `${bytes / 1000} KB`;
    rows.push(
      {
        what: `CPU of an item of ${size} in a batch of ${ITEMS}, accepted`,
        value: `${cpu("acceptMs")}, ${rate("acceptRate")}`,
        budget: acceptMs === null ? "" : `${acceptMs} ms`,
        isMet: acceptMs === null || median(values("acceptMs")) <= acceptMs,
      },
      {
        what: `CPU of delivery per email of ${size}, claim to settle`,
        value: `${cpu("deliveryMs")}, composing and signing alone ${median(values("composeMs")).toFixed(2)} ms; ${rate("arrivalRate")}`,
        budget: `${deliveryMs} ms`,
        isMet: median(values("deliveryMs")) <= deliveryMs,
      },
    );
  }
  return rows;
}

async function measureRound({ deployment, sink }: Bench, bytes: number): Promise<Round> {
  const cpu = () => cpuMs(deployment.workerdPid);
  const body = JSON.stringify(Array.from({ length: ITEMS }, () => deployment.mail(textOfSize(bytes))));
  await deployment.control("pause-queue");
  const arrived = sink.arrivals.length;
  const [acceptedFrom, acceptCpu] = [performance.now(), await cpu()];
  for (let batch = 0; batch < BATCHES; batch++) {
    await (await deployment.call("POST", "/v1/emails/batch", body)).arrayBuffer();
  }
  const acceptSeconds = (performance.now() - acceptedFrom) / 1000;
  const deliveryCpu = await cpu();
  await deployment.control("resume-queue");
  await deployment.control("sweep");
  await sink.waitFor(arrived + EMAILS);
  await deployment.waitUntilDrained();
  const deliveredCpu = await cpu();
  await deployment.control("compose", { bytes, times: COMPOSED });
  const composedCpu = await cpu();
  const [firstAt = 0, lastAt = 0] = [sink.arrivals[arrived], sink.arrivals[arrived + EMAILS - 1]];
  return {
    acceptRate: EMAILS / acceptSeconds,
    acceptMs: (deliveryCpu - acceptCpu) / EMAILS,
    arrivalRate: ((EMAILS - 1) / (lastAt - firstAt)) * 1000,
    deliveryMs: (deliveredCpu - deliveryCpu) / EMAILS,
    composeMs: (composedCpu - deliveredCpu) / COMPOSED,
  };
}
