/** The egress delivers under the leases of outbox rows, and ends with them. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { EGRESS_LEASE_MS } from "../../src/mail/egress-tickets/ticket.ts";
import { aTicket } from "./support/egress/hand-over.ts";
import { egressRigs } from "./support/egress/rigs.ts";
import { ManualClock } from "./support/manual-clock.ts";

const rigs = egressRigs();
const MINUTE_MS = 60_000;
const rowOf = () => ({ row: randomUUID(), token: randomUUID() });

/** Starts an egress whose clock is advanced by hand. Its results are not told in groups. */
async function aRig(limits: Parameters<typeof rigs>[0] = {}, settings: Parameters<typeof rigs>[1] = {}) {
  const clock = new ManualClock();
  const rig = await rigs({ groupMs: 0, ...limits }, { ...settings, clock });
  /** Returns the results of a recipient that are told `ms` later. */
  const resultsOf = async (address: string, ms = 0) => {
    await clock.advance(ms);
    return rig.worker.resultsOf(address);
  };
  return { ...rig, clock, resultsOf };
}

describe("a lease with less than 11 minutes", () => {
  it("lets no final dot leave, until it is renewed", async () => {
    const rig = await aRig();
    rig.worker.leaseMode = "fails";
    const server = await rig.receiver("one");
    await rig.handOver({ to: ["a@one.test"], ticket: aTicket({ until: rig.clock.now() + 11 * MINUTE_MS - 1 }) });
    await rig.handOver({ to: ["b@one.test"] });
    await expect.poll(async () => (await rig.resultsOf("b@one.test")).length).toBe(1);
    expect(rig.worker.resultsOf("a@one.test")).toEqual([]);
    rig.worker.leaseMode = "works";
    await expect.poll(() => rig.resultsOf("a@one.test", 1_000)).toMatchObject([{ kind: "accepted" }]);
    expect(server.messages).toHaveLength(2);
  });

  it("lets none leave either when its time passes after the content", async () => {
    // The lease is long enough at the beginning of the delivery, and too short after the reply to DATA.
    const rig = await aRig({ renewMs: 11 * MINUTE_MS + 1 });
    rig.worker.leaseMode = "fails";
    const transaction = {
      get data() {
        rig.clock.jump(2);
        return "354 Go on";
      },
    };
    const server = await rig.receiver("one", { transactions: [transaction] });
    await rig.handOver({ to: ["a@one.test"], ticket: aTicket({ until: rig.clock.now() + 11 * MINUTE_MS + 1 }) });
    await expect.poll(() => server.transcript.some(({ text }) => text === "DATA")).toBe(true);
    await rig.handOver({ to: ["b@one.test"] });
    await expect.poll(async () => (await rig.resultsOf("b@one.test")).length).toBe(1);
    expect(server.messages.map(({ rcpts }) => rcpts)).toEqual([["RCPT TO:<b@one.test>"]]);
    rig.worker.leaseMode = "works";
    await expect.poll(() => rig.resultsOf("a@one.test", 1_000)).toMatchObject([{ kind: "accepted" }]);
  });
});

describe("renewal", () => {
  it("is one ticket for each row, and the results of all its emails have the new end", async () => {
    const rig = await aRig();
    await rig.receiver("one");
    const fields = { ...rowOf(), until: rig.clock.now() + 11.5 * MINUTE_MS };
    const tickets = [1, 2, 3].map((n) => aTicket({ ...fields, n, email: randomUUID() }));
    for (const [n, ticket] of tickets.entries()) await rig.handOver({ to: [`r${n}@one.test`], ticket });
    await expect
      .poll(async () => {
        await rig.clock.advance(0);
        return rig.worker.acknowledged.flatMap(({ recipients }) => recipients).length;
      })
      .toBe(3);
    expect(rig.worker.renewals.every((group) => group.length === 1)).toBe(true);
    expect(new Set(rig.worker.acknowledged.map(({ ticket }) => ticket.split(".")[3])).size).toBe(1);
    for (const { ticket } of rig.worker.acknowledged) {
      expect(tickets).not.toContain(ticket);
      expect(Number.parseInt(ticket.split(".")[3] ?? "", 36)).toBeGreaterThan(rig.clock.now() + 14 * MINUTE_MS);
    }
  });

  it("is not asked for while 12 minutes are left", async () => {
    const rig = await aRig();
    await rig.receiver("one");
    await rig.handOver({ to: ["a@one.test"], ticket: aTicket({ until: rig.clock.now() + 12.5 * MINUTE_MS }) });
    await expect.poll(async () => (await rig.resultsOf("a@one.test")).length).toBe(1);
    expect(rig.worker.renewals).toEqual([]);
  });

  it("that the Worker makes before it takes a report does not lose the lease", async () => {
    const rig = await aRig({ heldMs: 50 });
    const server = await rig.receiver("one");
    rig.worker.beforeRenewed = () => expect.poll(() => rig.worker.received.length).toBeGreaterThan(0);
    const ticket = aTicket({ until: rig.clock.now() + 11.5 * MINUTE_MS });
    await rig.handOver({ to: ["a@one.test"], ticket });
    await expect.poll(() => rig.worker.renewals.length).toBe(1);
    await rig.clock.advance(50);
    await expect.poll(() => rig.resultsOf("a@one.test")).toMatchObject([{ kind: "accepted" }]);
    expect(server.messages).toHaveLength(1);
    // A result that was told under the earlier end is told again.
    const told = rig.worker.acknowledged.map((outcome) => [
      outcome.ticket === ticket,
      outcome.recipients[0]?.result.kind,
    ]);
    expect(told).toEqual([
      [true, "held"],
      [false, "held"],
      [false, "accepted"],
    ]);
  });

  it("measures by the clock of the Worker", async () => {
    const rig = await aRig();
    rig.worker.clockOffset = 60 * MINUTE_MS;
    await rig.receiver("one");
    // Seen by the clock of this machine there are 70 minutes left.
    const until = rig.clock.now() + rig.worker.clockOffset + 10 * MINUTE_MS;
    const full = rig.clock.now() + rig.worker.clockOffset + EGRESS_LEASE_MS;
    await rig.handOver({ to: ["a@one.test"], ticket: aTicket({ until: full }) });
    await rig.handOver({ to: ["b@one.test"], ticket: aTicket({ until }) });
    await expect.poll(async () => (await rig.resultsOf("b@one.test")).length).toBe(1);
    expect(rig.worker.renewals).toHaveLength(1);
  });
});

describe("a lost lease", () => {
  it("of a renewal begins nothing further of its row, and tells nothing about it", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one");
    const row = rowOf();
    rig.worker.lostRows.add(row.row);
    await rig.handOver({ to: ["a@one.test"], ticket: aTicket({ ...row, until: rig.clock.now() + 11 * MINUTE_MS }) });
    await expect.poll(() => rig.worker.renewals.length).toBe(1);
    await rig.handOver({ to: ["b@one.test"] });
    await expect.poll(async () => (await rig.resultsOf("b@one.test")).length).toBe(1);
    expect(server.messages).toHaveLength(1);
    expect(rig.worker.resultsOf("a@one.test")).toEqual([]);
  });

  it("of a report begins nothing further of its row", async () => {
    const receivers = [{ name: "one", mxSuffixes: [".one.test"], limits: { messagesPerMinute: 60 } }];
    const rig = await aRig({ heldMs: 50 }, { receivers });
    const server = await rig.receiver("one");
    const row = rowOf();
    rig.worker.lostRows.add(row.row);
    const emails = Array.from({ length: 6 }, (_, n) => ({ to: [`r${n}@one.test`], ticket: aTicket({ ...row, n }) }));
    for (const email of emails) await rig.handOver(email);
    await expect.poll(() => server.messages.length).toBe(1);
    // The others wait for their turn, a second each, when the report that they are held loses the lease.
    await rig.clock.advance(50);
    await expect.poll(() => rig.worker.acknowledged.length).toBeGreaterThanOrEqual(5);
    await rig.handOver({ to: ["b@one.test"] });
    await expect.poll(async () => (await rig.resultsOf("b@one.test", 1_000)).length).toBe(1);
    expect(server.messages.map(({ rcpts }) => rcpts)).toEqual([["RCPT TO:<r0@one.test>"], ["RCPT TO:<b@one.test>"]]);
  });

  it("that has ended by its time begins nothing further", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one");
    await rig.handOver({ to: ["a@one.test"], ticket: aTicket({ until: rig.clock.now() - 1 }) });
    await rig.handOver({ to: ["b@one.test"] });
    await expect.poll(async () => (await rig.resultsOf("b@one.test")).length).toBe(1);
    expect(server.messages).toHaveLength(1);
    expect(rig.worker.renewals).toEqual([]);
  });
});
