/** The egress delivers under the leases of outbox rows, which it renews, and ends with them. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { EGRESS_LEASE_MS, HAND_OVER_MS } from "../../src/mail/egress-tickets/ticket.ts";
import { aTicket } from "./support/egress/hand-over.ts";
import { egressRigs } from "./support/egress/rigs.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { SmtpClient } from "./support/smtp-client.ts";

const rigs = egressRigs();
const SECOND_MS = 1_000;
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
  /** Delivers another email, so that everything before it that may happen has happened. */
  const deliverAnother = async (address: string) => {
    await rig.handOver({ to: [address] });
    await expect.poll(async () => (await resultsOf(address)).length).toBe(1);
  };
  /** Returns how often the lease of a ticket was renewed. */
  const renewalsOf = (ticket: string) => rig.worker.renewals.flat().filter((one) => one === ticket).length;
  return { ...rig, clock, resultsOf, deliverAnother, renewalsOf };
}

describe("a lease that was handed over", () => {
  it("lets nothing begin until it is renewed, while those of another mail database do", async () => {
    const rig = await aRig();
    rig.worker.failingDatabases.add(1);
    const server = await rig.receiver("one");
    await rig.handOver({ to: ["a@one.test"], ticket: aTicket({ shard: 1 }) });
    await rig.deliverAnother("b@one.test");
    expect(server.transcript.filter(({ text }) => text === "DATA")).toHaveLength(1);
    rig.worker.failingDatabases.clear();
    await expect.poll(() => rig.resultsOf("a@one.test", SECOND_MS)).toMatchObject([{ kind: "accepted" }]);
    expect(server.messages).toHaveLength(2);
  });

  it("ends a minute later when it cannot be renewed: nothing begins, and nothing is told about it", async () => {
    const rig = await aRig();
    rig.worker.failingDatabases.add(1);
    const server = await rig.receiver("one");
    const ticket = aTicket({ shard: 1 });
    await rig.handOver({ to: ["a@one.test"], ticket });
    await rig.clock.advance(HAND_OVER_MS);
    await rig.deliverAnother("b@one.test");
    rig.worker.failingDatabases.clear();
    await rig.clock.advance(MINUTE_MS);
    await rig.deliverAnother("c@one.test");
    expect(rig.worker.resultsOf("a@one.test")).toEqual([]);
    expect(rig.renewalsOf(ticket)).toBe(0);
    expect(server.messages).toHaveLength(2);
  });

  it("is renewed while the content of its email arrives slowly", async () => {
    const rig = await aRig();
    await rig.receiver("one");
    const ticket = aTicket();
    const client = await SmtpClient.connect(rig.port);
    await client.command("EHLO worker.test");
    await client.command(`MAIL FROM:<a@shop.test> ENVID=${ticket}`);
    await client.command("RCPT TO:<a@one.test>");
    await client.command("DATA");
    await rig.clock.advance(SECOND_MS);
    await expect.poll(() => rig.renewalsOf(ticket)).toBe(1);
    await rig.deliverAnother("b@one.test");
    await rig.clock.advance(2 * HAND_OVER_MS);
    client.write("Subject: x\r\n\r\nHello.\r\n.\r\n");
    expect(await client.reply()).toMatch(/^250 /);
    await expect.poll(() => rig.resultsOf("a@one.test")).toMatchObject([{ kind: "accepted" }]);
    expect(rig.renewalsOf(ticket)).toBe(1);
    client.end();
  });
});

describe("a lease with less than 11 minutes", () => {
  it("lets no final dot leave, until it is renewed", async () => {
    const rig = await aRig();
    const transaction = {
      get data() {
        // The lease was long enough at the beginning of the delivery.
        rig.worker.failingDatabases.add(1);
        rig.clock.jump(4 * MINUTE_MS + 1);
        return "354 Go on";
      },
    };
    const server = await rig.receiver("one", { transactions: [transaction] });
    await rig.handOver({ to: ["a@one.test"], ticket: aTicket({ shard: 1 }) });
    await expect.poll(() => server.transcript.some(({ text }) => text === "DATA")).toBe(true);
    await rig.deliverAnother("b@one.test");
    expect(server.messages.map(({ rcpts }) => rcpts)).toEqual([["RCPT TO:<b@one.test>"]]);
    rig.worker.failingDatabases.clear();
    await expect.poll(() => rig.resultsOf("a@one.test", SECOND_MS)).toMatchObject([{ kind: "accepted" }]);
  });
});

describe("renewal", () => {
  it("is one ticket for each row, however many emails it has, and their results have the tickets of the hand-over", async () => {
    const rig = await aRig();
    await rig.receiver("one");
    const row = rowOf();
    const tickets = [1, 2, 3].map((n) => aTicket({ ...row, n, email: randomUUID() }));
    for (const [n, ticket] of tickets.entries()) await rig.handOver({ to: [`r${n}@one.test`], ticket });
    for (const n of tickets.keys()) await expect.poll(() => rig.resultsOf(`r${n}@one.test`)).toHaveLength(1);
    expect(rig.worker.renewals).toHaveLength(1);
    expect(new Set(rig.worker.acknowledged.map(({ ticket }) => ticket))).toEqual(new Set(tickets));
  });

  it("of rows that come during a call is one call for up to 100 of them", async () => {
    const rig = await aRig();
    await rig.receiver("one");
    const first = Promise.withResolvers<void>();
    rig.worker.beforeRenewed = () => first.promise;
    for (let n = 0; n < 121; n++) await rig.handOver({ to: [`r${n}@one.test`] });
    first.resolve();
    await expect.poll(() => rig.worker.renewals.map(({ length }) => length)).toEqual([1, 100, 20]);
  });

  it("is renewed with 12 minutes left, also for an email with a result that the Worker does not have yet, and no more once it has it", async () => {
    const rig = await aRig();
    rig.worker.mode = "fails";
    const server = await rig.receiver("one");
    const ticket = aTicket();
    await rig.handOver({ to: ["a@one.test"], ticket });
    await expect.poll(() => server.messages.length).toBe(1);
    await rig.clock.advance(3 * MINUTE_MS - SECOND_MS);
    expect(rig.renewalsOf(ticket)).toBe(1);
    await rig.clock.advance(2 * SECOND_MS);
    await expect.poll(() => rig.renewalsOf(ticket)).toBe(2);
    rig.worker.mode = "works";
    await expect.poll(() => rig.resultsOf("a@one.test", SECOND_MS)).toHaveLength(1);
    await rig.deliverAnother("b@one.test");
    await rig.clock.advance(4 * MINUTE_MS);
    await rig.deliverAnother("c@one.test");
    expect(rig.renewalsOf(ticket)).toBe(2);
  });

  it("counts from the time at which it was asked for", async () => {
    const needed = EGRESS_LEASE_MS - 5 * SECOND_MS;
    const rig = await aRig({ dotLeaseMs: needed, renewMs: needed });
    await rig.receiver("one");
    const waits = [9 * SECOND_MS, 0];
    rig.worker.beforeRenewed = async () => rig.clock.jump(waits.shift() ?? 0);
    await rig.handOver({ to: ["a@one.test"] });
    await expect.poll(() => rig.resultsOf("a@one.test", SECOND_MS)).toMatchObject([{ kind: "accepted" }]);
    expect(rig.worker.renewals).toHaveLength(2);
  });

  it.each([60, -60])("works with a clock of the Worker that is %d minutes ahead", async (minutes) => {
    const rig = await aRig();
    rig.worker.clockOffset = minutes * MINUTE_MS;
    await rig.receiver("one");
    await rig.deliverAnother("a@one.test");
    expect(rig.worker.renewals).toHaveLength(1);
  });

  it("that gets no response delays those of its own mail database alone, and is made again after 10 seconds", async () => {
    const rig = await aRig();
    await rig.receiver("one");
    const silent = aTicket({ shard: 1 });
    rig.worker.beforeRenewed = ([ticket]) => (ticket === silent ? new Promise(() => {}) : Promise.resolve());
    await rig.handOver({ to: ["a@one.test"], ticket: silent });
    await expect.poll(() => rig.renewalsOf(silent)).toBe(1);
    await rig.deliverAnother("b@one.test");
    rig.worker.beforeRenewed = () => Promise.resolve();
    await rig.clock.advance(10 * SECOND_MS);
    await expect.poll(() => rig.resultsOf("a@one.test", SECOND_MS)).toMatchObject([{ kind: "accepted" }]);
    expect(rig.renewalsOf(silent)).toBe(2);
  });
});

describe("a lost lease", () => {
  it("of a renewal begins nothing further of its row, and tells nothing about it", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one");
    const row = rowOf();
    rig.worker.lostRows.add(row.row);
    await rig.handOver({ to: ["a@one.test"], ticket: aTicket(row) });
    await expect.poll(() => rig.worker.renewals.length).toBe(1);
    await rig.deliverAnother("b@one.test");
    expect(server.messages).toHaveLength(1);
    expect(rig.worker.resultsOf("a@one.test")).toEqual([]);
  });

  it("of a report begins nothing further of its row", async () => {
    const receivers = [{ name: "one", mxSuffixes: [".one.test"], limits: { messagesPerMinute: 60 } }];
    const rig = await aRig({ heldMs: 50 }, { receivers });
    const server = await rig.receiver("one");
    const row = rowOf();
    const emails = Array.from({ length: 6 }, (_, n) => ({ to: [`r${n}@one.test`], ticket: aTicket({ ...row, n }) }));
    for (const email of emails) await rig.handOver(email);
    await expect.poll(() => server.messages.length).toBe(1);
    rig.worker.lostRows.add(row.row);
    // The others wait for their turn, a second each, when the report that they are held loses the lease.
    await rig.clock.advance(50);
    await expect.poll(() => rig.worker.acknowledged.length).toBeGreaterThanOrEqual(5);
    await rig.handOver({ to: ["b@one.test"] });
    await expect.poll(async () => (await rig.resultsOf("b@one.test", SECOND_MS)).length).toBe(1);
    expect(server.messages.map(({ rcpts }) => rcpts)).toEqual([["RCPT TO:<r0@one.test>"], ["RCPT TO:<b@one.test>"]]);
  });
});
