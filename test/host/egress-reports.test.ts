/** The egress tells the Worker its results until they are acknowledged. */
import { describe, expect, it } from "vitest";
import { aTicket } from "./support/egress/hand-over.ts";
import { egressRigs } from "./support/egress/rigs.ts";
import { ManualClock } from "./support/manual-clock.ts";

const rigs = egressRigs();
/** Starts an egress whose clock is advanced by hand, and whose receiver `slow.test` takes a message a second. */
async function aRig(limits: Parameters<typeof rigs>[0] = {}) {
  const clock = new ManualClock();
  const receivers = [{ name: "slow", mxSuffixes: [".slow.test"], limits: { messagesPerMinute: 60 } }];
  const rig = await rigs(limits, { receivers, clock });
  /** Lets time pass and returns a value then. */
  const later = async <Value>(ms: number, read: () => Value) => {
    await clock.advance(ms);
    return read();
  };
  return { ...rig, clock, later };
}

describe("results", () => {
  it("are sent again until the Worker acknowledges them", async () => {
    const rig = await aRig();
    rig.worker.mode = "fails";
    await rig.receiver("one");
    const ticket = aTicket();
    await rig.handOver({ to: ["a@one.test"], ticket });
    await expect.poll(() => rig.later(250, () => rig.worker.received.length)).toBeGreaterThan(2);
    expect(rig.worker.acknowledged).toEqual([]);
    rig.worker.mode = "works";
    await expect.poll(() => rig.later(5_000, () => rig.worker.resultsOf("a@one.test").length)).toBe(1);
    expect(new Set(rig.worker.received.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  });

  it("of emails that end together are in one call of at most 100", async () => {
    const rig = await aRig({ groupMs: 250 });
    const servers = await Promise.all(["one", "two"].map((name) => rig.receiver(name)));
    const emails = Array.from({ length: 150 }, (_, n) => rig.handOver({ to: [`r${n}@${n % 2 ? "one" : "two"}.test`] }));
    await Promise.all(emails);
    await expect.poll(() => servers.reduce((sum, { messages }) => sum + messages.length, 0)).toBe(150);
    await expect.poll(() => rig.later(250, () => rig.worker.acknowledged.length)).toBe(150);
    expect(rig.worker.callSizes.length).toBeLessThan(10);
    expect(rig.worker.callSizes[0]).toBe(100);
    expect(Math.max(...rig.worker.callSizes)).toBe(100);
  });

  it("that the Worker does not take for their content hold up no others", async () => {
    const rig = await aRig({ groupMs: 250 });
    await rig.receiver("one");
    rig.worker.refused = "r7@one.test";
    await Promise.all(Array.from({ length: 20 }, (_, n) => rig.handOver({ to: [`r${n}@one.test`] })));
    await expect.poll(() => rig.later(250, () => rig.worker.acknowledged.length)).toBe(19);
    expect(rig.worker.resultsOf("r7@one.test")).toEqual([]);
    rig.worker.refused = null;
    await rig.handOver({ to: ["later@one.test"] });
    await expect.poll(() => rig.later(250, () => rig.worker.resultsOf("later@one.test").length)).toBe(1);
  });

  it("say that an email is held when it has no other after a time, and only then", async () => {
    const rig = await aRig({ heldMs: 300, groupMs: 0 });
    const server = await rig.receiver("slow");
    await rig.receiver("quick");
    for (const address of ["first@slow.test", "a@slow.test", "a@quick.test"]) await rig.handOver({ to: [address] });
    const kindsOf = (address: string) =>
      rig.worker.acknowledged.flatMap(({ recipients }) =>
        recipients.flatMap((recipient) => (recipient.address === address ? [recipient.result.kind] : [])),
      );
    await expect.poll(() => rig.later(0, () => kindsOf("a@quick.test"))).toEqual(["accepted"]);
    await rig.clock.advance(299);
    expect(kindsOf("a@slow.test")).toEqual([]);
    await rig.clock.advance(1);
    await expect.poll(() => kindsOf("a@slow.test")).toEqual(["held"]);
    expect(server.messages).toHaveLength(1);
    await rig.clock.advance(700);
    await expect.poll(() => rig.later(0, () => kindsOf("a@slow.test"))).toEqual(["held", "accepted"]);
    expect(kindsOf("a@quick.test")).toEqual(["accepted"]);
  });

  it("of one email come in order, each when the one before is acknowledged", async () => {
    const rig = await aRig({ heldMs: 50, groupMs: 0 });
    const server = await rig.receiver("slow");
    rig.worker.mode = "fails";
    for (const address of ["first@slow.test", "a@slow.test"]) await rig.handOver({ to: [address] });
    const told = () =>
      rig.worker.received.flatMap(({ recipients }) =>
        recipients.flatMap(({ address, result }) => (address === "a@slow.test" ? [result.kind] : [])),
      );
    await rig.clock.advance(50);
    await expect.poll(told).toEqual(["held"]);
    await rig.clock.advance(950);
    await expect.poll(() => server.messages.length).toBe(2);
    const calls = told().length;
    await expect.poll(() => rig.later(1_000, told)).toHaveLength(calls + 2);
    expect(new Set(told())).toEqual(new Set(["held"]));
    rig.worker.mode = "works";
    await expect
      .poll(() => rig.later(5_000, () => rig.worker.resultsOf("a@slow.test").map(({ kind }) => kind)))
      .toEqual(["accepted"]);
  });

  it("say that a final dot without a reply is ambiguous", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one", { transactions: [{ dot: { drop: true } }] });
    await rig.handOver({ to: ["a@one.test"] });
    await expect
      .poll(() => rig.later(100, () => rig.worker.resultsOf("a@one.test")))
      .toMatchObject([{ kind: "ambiguous", phase: "final-dot", reply: null, relay: "mx.one.test" }]);
    expect(server.messages).toHaveLength(1);
  });
});

describe("results that the Worker has not acknowledged for 30 seconds", () => {
  it("let the egress take no further email with a ticket, until it acknowledges them", async () => {
    const rig = await aRig({ groupMs: 0 });
    await rig.receiver("one");
    rig.worker.mode = "fails";
    await rig.handOver({ to: ["a@one.test"] });
    await expect.poll(() => rig.later(0, () => rig.worker.received.length)).toBeGreaterThan(0);
    await rig.clock.advance(29_999);
    expect(await rig.handOver({ to: ["b@one.test"] })).toMatchObject([{ kind: "accepted" }]);
    await rig.clock.advance(1);
    const text = "The Worker does not acknowledge the results of the egress";
    expect(await rig.handOver({ to: ["c@one.test"] })).toMatchObject([
      { kind: "deferred", phase: "mail", reply: { code: 451, enhanced: "4.3.2", text } },
    ]);
    expect(await rig.handOver({ to: ["d@one.test"], ticket: null })).toMatchObject([{ kind: "accepted" }]);
    rig.worker.mode = "works";
    await expect.poll(() => rig.later(5_000, () => rig.worker.resultsOf("b@one.test"))).toHaveLength(1);
    await expect.poll(() => rig.handOver({ to: ["c@one.test"] })).toMatchObject([{ kind: "accepted" }]);
  });
});

describe("final dots", () => {
  it("do not leave while 200 results of others are unacknowledged, and leave again after that", async () => {
    const rig = await aRig();
    rig.worker.mode = "fails";
    const servers = await Promise.all(["one", "two", "three", "four"].map((name) => rig.receiver(name)));
    const sent = () => servers.reduce((sum, { messages }) => sum + messages.length, 0);
    const names = ["one", "two", "three", "four"];
    const emails = Array.from({ length: 300 }, (_, n) => rig.handOver({ to: [`r${n}@${names[n % 4]}.test`] }));
    expect((await Promise.all(emails)).every(([result]) => result?.kind === "accepted")).toBe(true);
    await expect.poll(sent).toBeGreaterThanOrEqual(200);
    // Each connection may have had one final dot on its way.
    const before = sent();
    expect(before).toBeLessThanOrEqual(240);
    const calls = rig.worker.received.length;
    await expect.poll(() => rig.later(5_000, () => rig.worker.received.length)).toBeGreaterThan(calls + 200);
    expect(sent()).toBe(before);
    rig.worker.mode = "works";
    await expect.poll(() => rig.later(5_000, sent)).toBe(300);
    const addresses = Array.from({ length: 300 }, (_, n) => `r${n}@${names[n % 4]}.test`);
    await expect
      .poll(() => rig.later(1_000, () => addresses.every((address) => rig.worker.resultsOf(address).length === 1)))
      .toBe(true);
  });
});
