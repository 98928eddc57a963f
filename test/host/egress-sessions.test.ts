/** Connections to receivers are kept, shared, and opened again. */
import { describe, expect, it } from "vitest";
import type { EgressRig } from "./support/egress/rig.ts";
import { egressRigs } from "./support/egress/rigs.ts";

const aRig = egressRigs();
const limited = (limits: object) => ({ receivers: [{ name: "limited", mxSuffixes: [".limited.test"], limits }] });

/** Hands over emails one after the other, each after the result of the one before. */
async function deliver(rig: EgressRig, addresses: string[]): Promise<void> {
  for (const address of addresses) {
    await rig.handOver({ to: [address] });
    await expect.poll(() => rig.worker.resultsOf(address).at(-1)?.kind).toBe("accepted");
  }
}

describe("a transaction", () => {
  it("with replies that are each in time is deferred after its longest time", async () => {
    const rig = await aRig({ transactionMs: 1_000, replyMs: 60_000 });
    const slow = await rig.receiver("slow", { capabilities: [], latencyMs: 200 });
    const to = Array.from({ length: 20 }, (_, n) => `r${n}@slow.test`);
    await rig.handOver({ to });
    await expect.poll(() => rig.worker.resultsOf("r19@slow.test").length, { timeout: 10_000 }).toBe(1);
    expect(slow.transcript.filter(({ text }) => text.startsWith("RCPT")).length).toBeLessThan(20);
    for (const address of to)
      expect(rig.worker.resultsOf(address)).toMatchObject([
        { kind: "deferred", reply: null, reason: "the transaction took too long" },
      ]);
    expect(slow.counters).toMatchObject({ connections: 1, messages: 0 });
  });

  it("on a kept connection that took too long is not made again at once", async () => {
    const rig = await aRig({ transactionMs: 1_000, replyMs: 60_000 });
    const transactions = [{}, { mail: { silent: true } as const }];
    const server = await rig.receiver("one", { capabilities: [], transactions });
    await deliver(rig, ["a@one.test"]);
    await rig.handOver({ to: ["b@one.test"] });
    await expect
      .poll(() => rig.worker.resultsOf("b@one.test"))
      .toMatchObject([{ kind: "deferred", reason: "the transaction took too long" }]);
    expect(server.counters.connections).toBe(1);
  });
});

describe("a connection", () => {
  it("is kept for the next email, also of another domain on the same host", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one");
    rig.zone["other.test"] = { mx: [[5, "mx.one.test"]] };
    await deliver(rig, ["a@one.test", "a@other.test", "b@one.test"]);
    expect(server.counters).toMatchObject({ connections: 1, messages: 3 });
  });

  it("is not used for a domain whose host is another, though the receiver is the same", async () => {
    const rig = await aRig({}, limited({}));
    const server = await rig.receiver("limited");
    rig.zone["mx2.limited.test"] = { a: rig.zone["mx.limited.test"]?.a ?? [] };
    rig.zone["other.test"] = { mx: [[5, "mx2.limited.test"]] };
    await deliver(rig, ["a@limited.test", "a@other.test"]);
    expect(server.counters).toMatchObject({ connections: 2, messages: 2 });
  });

  it("ends with QUIT after the messages that the receiver allows on it", async () => {
    const rig = await aRig({}, limited({ messagesPerConnection: 2 }));
    const server = await rig.receiver("limited");
    await deliver(rig, ["a@limited.test", "b@limited.test", "c@limited.test"]);
    expect(server.counters.connections).toBe(2);
    await expect.poll(() => server.transcript.filter(({ text }) => text === "QUIT").length).toBe(1);
  });

  it("ends with QUIT when it is idle", async () => {
    const rig = await aRig({ idleMs: 100 });
    const server = await rig.receiver("one");
    await deliver(rig, ["a@one.test"]);
    await expect.poll(() => server.transcript.some(({ text }) => text === "QUIT")).toBe(true);
  });

  it("that the server has closed meanwhile, or closes at the next MAIL, costs no attempt", async () => {
    const rig = await aRig();
    const transactions = [
      {},
      { mail: { drop: true } as const },
      {},
      { mail: { drop: true, reply: "421 4.4.2 Idle" } as const },
    ];
    const server = await rig.receiver("one", { transactions });
    await deliver(rig, ["a@one.test", "b@one.test", "c@one.test"]);
    expect(rig.worker.resultsOf("b@one.test")).toMatchObject([{ kind: "accepted" }]);
    expect(rig.worker.resultsOf("c@one.test")).toMatchObject([{ kind: "accepted" }]);
    expect(server.counters).toMatchObject({ connections: 3, messages: 3 });
  });

  it.each([
    "421 4.7.0 Too many messages in this connection",
    "452 4.3.2 Too many messages per session",
    "421 Maximum number of messages per connection exceeded",
    "451 4.7.1 Message limit reached for this session, 2 messages per SMTP session",
  ])("that has taken all its messages is replaced at once, and its number is learned: %s", async (reply) => {
    const rig = await aRig();
    const mail = reply.startsWith("421") ? ({ drop: true, reply } as const) : reply;
    const server = await rig.receiver("one", { transactions: [{}, {}, { mail }] });
    await deliver(rig, ["a@one.test", "b@one.test", "c@one.test", "d@one.test", "e@one.test"]);
    expect(rig.worker.resultsOf("c@one.test")).toMatchObject([{ kind: "accepted" }]);
    expect(server.counters).toMatchObject({ connections: 3, messages: 5 });
  });

  it("that refuses after the same number as the one before has a limit, whatever the words", async () => {
    const rig = await aRig();
    const refused = { mail: "451 4.3.0 Not now" };
    const server = await rig.receiver("one", { transactions: [{}, {}, refused, refused] });
    await deliver(rig, ["a@one.test", "b@one.test"]);
    await rig.handOver({ to: ["c@one.test"] });
    await expect.poll(() => rig.worker.resultsOf("c@one.test")).toMatchObject([{ kind: "deferred", phase: "mail" }]);
    await deliver(rig, ["d@one.test", "e@one.test", "f@one.test"]);
    expect(rig.worker.resultsOf("d@one.test")).toMatchObject([{ kind: "accepted" }]);
    expect(server.counters).toMatchObject({ connections: 3, messages: 5 });
  });

  it("that is new and refuses too costs the attempt, and no number is learned", async () => {
    const rig = await aRig();
    const refused = { mail: "452 4.3.2 Too many messages in this session" };
    const server = await rig.receiver("one", { transactions: [{}, refused, refused] });
    await deliver(rig, ["a@one.test"]);
    await rig.handOver({ to: ["b@one.test"] });
    await expect.poll(() => rig.worker.resultsOf("b@one.test")).toMatchObject([{ kind: "deferred", phase: "mail" }]);
    expect(server.counters).toMatchObject({ connections: 2, messages: 1 });
  });

  it("that the server closes because mail comes too fast costs its attempt: nothing is sent again at once", async () => {
    const rig = await aRig();
    const transactions = [{}, { mail: { drop: true, reply: "421 4.7.0 Slow down" } as const }];
    const server = await rig.receiver("one", { transactions });
    await deliver(rig, ["a@one.test"]);
    await rig.handOver({ to: ["b@one.test"] });
    await expect
      .poll(() => rig.worker.resultsOf("b@one.test"))
      .toMatchObject([{ kind: "deferred", phase: "mail", reply: { code: 421, enhanced: "4.7.0" } }]);
    expect(server.counters).toMatchObject({ connections: 1, messages: 1 });
  });

  it("whose greeting does not end, however many bytes come, is given up in the time of a greeting", async () => {
    const rig = await aRig({ greetingMs: 200 });
    await rig.receiver("tarpit", { greeting: { raw: "220-Wait\r\n".repeat(100) }, segmentLengths: [1] });
    await rig.handOver({ to: ["a@tarpit.test"] });
    await expect
      .poll(() => rig.worker.resultsOf("a@tarpit.test"))
      .toMatchObject([{ kind: "deferred", phase: "greeting", reply: null, relay: "mx.tarpit.test" }]);
  });

  it("that breaks when it is new is a deferral", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one", { transactions: [{ mail: { drop: true } }] });
    await rig.handOver({ to: ["a@one.test"] });
    await expect.poll(() => rig.worker.resultsOf("a@one.test")).toMatchObject([{ kind: "deferred", phase: "mail" }]);
    expect(server.counters.connections).toBe(1);
  });
});

describe("the connections of a receiver", () => {
  it("grow with its messages up to its limit, and are no more", async () => {
    const rig = await aRig({}, limited({ connections: 4 }));
    const server = await rig.receiver("limited", { latencyMs: 30 });
    const addresses = Array.from({ length: 60 }, (_, n) => `r${n}@limited.test`);
    await Promise.all(addresses.map((address) => rig.handOver({ to: [address] })));
    await expect.poll(() => server.messages.length).toBe(60);
    expect(server.counters.connections).toBe(4);
  });

  it("are its share when many receivers have work, and the others have theirs", async () => {
    const rig = await aRig({ connections: 4 }, limited({ connections: 50 }));
    await rig.receiver("tarpit", { greeting: { silent: true } });
    const server = await rig.receiver("limited", { latencyMs: 20 });
    for (let n = 0; n < 20; n++) await rig.handOver({ to: [`r${n}@tarpit.test`] });
    const addresses = Array.from({ length: 30 }, (_, n) => `r${n}@limited.test`);
    await Promise.all(addresses.map((address) => rig.handOver({ to: [address] })));
    await expect.poll(() => server.messages.length).toBe(30);
    expect(server.counters.connections).toBeLessThanOrEqual(4);
  });
});
