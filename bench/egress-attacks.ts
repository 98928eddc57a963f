/**
 * Measures how long an email to one mail system waits in the egress while others answer slowly, never or wrongly: the longest of some
 * transactions as a ratio of the longest quiet one in the same run.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Behaviour } from "../dev/internet/index.ts";
import { type EgressRig, startEgressRig } from "../test/host/support/egress-internet/rig.ts";
import { systemsOf } from "../test/host/support/egress-internet/systems.ts";
import { trustThrowawayCa } from "../test/support/throwaway-ca.ts";
import { toRatio } from "./ratio.ts";
import type { Row } from "./table.ts";

/** Emails of the other tenant in each row, one after the other. */
const PROBES = 50;
/** Mail systems of an attack, and emails to each. */
const SYSTEMS = 20;
const EACH = 50;

const ATTACKS: Readonly<Record<string, Behaviour>> = {
  "answer in 30 s": { slow: { ms: 30_000 } },
  "send a byte in 500 ms": { tarpit: { msPerByte: 500 } },
  "do not greet": { blocked: { at: "greeting" } },
};

export async function measureEgressAttacks(): Promise<Row[]> {
  await trustThrowawayCa();
  const attacks = Object.entries(ATTACKS);
  const systems = attacks.flatMap(([, behaviour], n) => systemsOf(`bad${n}`, SYSTEMS, behaviour, n + 4));
  const rig = await startEgressRig({ systems: [...systemsOf("good", 1, {}, 3), ...systems] });
  try {
    await probe(rig, "first");
    const quiet = await probes(rig, "quiet");
    const rows: Row[] = [];
    for (const [n, [what]] of attacks.entries()) {
      rig.outbox.add(Array.from({ length: SYSTEMS * EACH }, (_, at) => `a${at}@bad${n}-${at % SYSTEMS}.test`));
      await runUntil(rig, () => rig.outbox.due === 0);
      const name = `email through the egress beside ${SYSTEMS * EACH} to ${SYSTEMS} mail systems that ${what}`;
      rows.push(toRatio(name, await probes(rig, `beside${n}`), quiet));
    }
    return rows;
  } finally {
    await rig.close();
  }
}

async function probes(rig: EgressRig, name: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < PROBES; n++) times.push(await probe(rig, `${name}${n}`));
  return times;
}

/** Returns how long an email takes until its result is reported, in ms. */
async function probe(rig: EgressRig, name: string): Promise<number> {
  const startedAt = performance.now();
  const [email] = rig.outbox.add([`${name}@good-0.test`]);
  await runUntil(rig, () => email?.state === "done");
  return performance.now() - startedAt;
}

/** Hands over what is due until `isOver`. */
async function runUntil({ outbox, egress }: EgressRig, isOver: () => boolean): Promise<void> {
  const stop = new AbortController();
  const run = outbox.run(egress.ports[0] ?? 0, { signal: stop.signal, connections: 16 });
  while (!isOver()) await sleep(1);
  stop.abort();
  await run;
}
