/** The egress is killed under load, again and again. Nothing that was handed over is lost. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EgressRig, startEgressRig } from "./support/egress-internet/rig.ts";
import { systemsOf } from "./support/egress-internet/systems.ts";
import { byExtent } from "./support/extent.ts";

const KILLS = byExtent({ quick: 5, full: 40, long: 200 });
/** Emails that the egress holds when it is killed: more than the results that it may have without acknowledgement. */
const EACH = 500;
const DOMAINS = 10;
/** The egress stops at so many final dots without acknowledgement (docs/egress.md). */
const UNACKNOWLEDGED = 200;

describe("an egress that is killed", () => {
  let rig: EgressRig;
  beforeAll(async () => {
    rig = await startEgressRig({ systems: systemsOf("d", DOMAINS, {}, 1) });
  });
  afterAll(() => rig?.close());

  it("loses no email, and only emails without a report arrive twice: at most 200 at each kill, all marked", {
    // 40 kills beside the other tests of a full run.
    timeout: 600_000,
  }, async () => {
    const { outbox, internet } = rig;
    const receivers = Array.from({ length: DOMAINS }, (_, n) => internet.receiver(`d-${n}`));
    const arrived = () => receivers.reduce((sum, { counters }) => sum + counters.messages, 0);
    for (let kill = 1; kill <= KILLS; kill++) {
      const first = (kill - 1) * EACH;
      outbox.add(Array.from({ length: EACH }, (_, n) => `e${first + n}@d-${n % DOMAINS}.test`));
      // Half of the time the Worker takes no results, so that those of final dots pile up.
      outbox.takesNoResults = kill % 2 === 0;
      const before = arrived();
      const isEnough = () => arrived() - before >= (kill * 97) % 250;
      const stop = new AbortController();
      const run = outbox.run(rig.egress.ports[0] ?? 0, { signal: stop.signal }).catch(() => {});
      for (const end = Date.now() + 2_000; !isEnough() && Date.now() < end; ) await new Promise(setImmediate);
      rig.egress.signal("SIGKILL");
      await rig.egress.exited;
      stop.abort();
      await run;
      outbox.takesNoResults = false;
      outbox.endLeases();
      await rig.restart();
    }
    await outbox.run(rig.egress.ports[0] ?? 0);
    const counts = new Map<string, number>();
    for (const { messages } of receivers)
      for (const { to } of messages) for (const address of to) counts.set(address, (counts.get(address) ?? 0) + 1);
    expect(outbox.emails.filter(({ to }) => !counts.has(to)).map(({ to }) => to)).toEqual([]);
    const duplicates = outbox.emails.filter(({ to }) => (counts.get(to) ?? 0) > 1);
    expect(duplicates.filter(({ mayRepeat }) => !mayRepeat).map(({ to }) => to)).toEqual([]);
    const extra = duplicates.reduce((sum, { to }) => sum + (counts.get(to) ?? 0) - 1, 0);
    expect(extra).toBeLessThanOrEqual(KILLS * UNACKNOWLEDGED);
    expect(outbox.emails.every(({ results }) => results.at(-1)?.kind === "accepted")).toBe(true);
  });
});

describe("an egress that is told to stop", () => {
  let rig: EgressRig;
  beforeAll(async () => {
    rig = await startEgressRig({ systems: systemsOf("s", 4, { slow: { ms: 100 } }, 2) });
  });
  afterAll(() => rig?.close());

  it("returns what has no final dot, waits for the rest, and no email arrives twice", async () => {
    const { outbox, internet } = rig;
    outbox.add(Array.from({ length: 60 }, (_, n) => `e${n}@s-${n % 4}.test`));
    const receivers = Array.from({ length: 4 }, (_, n) => internet.receiver(`s-${n}`));
    const stop = new AbortController();
    const run = outbox.run(rig.egress.ports[0] ?? 0, { signal: stop.signal }).catch(() => {});
    const arrived = () => receivers.reduce((sum, { counters }) => sum + counters.messages, 0);
    while (arrived() < 5) await new Promise(setImmediate);
    rig.egress.signal("SIGTERM");
    expect(await rig.egress.exited).toBe(0);
    stop.abort();
    await run;
    expect(outbox.emails.some(({ results }) => results.some(({ kind }) => kind === "returned"))).toBe(true);
    // Everything that was held has a result: nothing waits for the end of a lease.
    expect(outbox.emails.filter(({ state, mayRepeat }) => state === "held" && !mayRepeat)).toEqual([]);
    outbox.endLeases();
    await rig.restart();
    await outbox.run(rig.egress.ports[0] ?? 0);
    const all = receivers.flatMap(({ messages }) => messages.flatMap(({ to }) => to));
    expect(all.sort()).toEqual(outbox.emails.map(({ to }) => to).sort());
  });
});
