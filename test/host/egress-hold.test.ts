/** Emails in the memory of the egress: bounded, delivered once, with results that are not lost. */
import { describe, expect, it } from "vitest";
import { aTicket } from "./support/egress/hand-over.ts";
import { egressRigs } from "./support/egress/rigs.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { SmtpClient } from "./support/smtp-client.ts";

const aRig = egressRigs();
const MEGABYTE = 1024 * 1024;

describe("the memory", () => {
  it("replies 451 to MAIL when it is full, before content, and takes emails again when it is free", async () => {
    const rig = await aRig({}, { memoryBytes: MEGABYTE });
    await rig.receiver("slow", { transactions: [{ data: { silent: true } }] });
    const quick = await rig.receiver("quick");
    const text = `${"x".repeat(998)}\r\n`.repeat(600);
    await rig.handOver({ to: ["a@slow.test"], text });
    const [full] = await rig.handOver({ to: ["a@quick.test"], text });
    expect(full).toMatchObject({ kind: "deferred", phase: "mail", reply: { code: 451, enhanced: "4.3.2" } });
    // A small one has room.
    await rig.handOver({ to: ["b@quick.test"] });
    await expect.poll(() => quick.messages.length).toBe(1);
    const [again] = await rig.handOver({ to: ["a@quick.test"], text: text.slice(0, 300_000) });
    expect(again).toMatchObject({ kind: "accepted" });
    await expect.poll(() => quick.messages.length).toBe(2);
  });

  it("is free again after a transaction that was not completed", async () => {
    const rig = await aRig({}, { memoryBytes: MEGABYTE });
    await rig.receiver("one");
    const mail = () => `MAIL FROM:<a@shop.test> SIZE=800000 ENVID=${aTicket()}`;
    const client = await SmtpClient.connect(rig.port);
    await client.command("EHLO worker.test");
    expect(await client.command(mail())).toMatch(/^250 /);
    const other = await SmtpClient.connect(rig.port);
    await other.command("EHLO worker.test");
    expect(await other.command(mail())).toMatch(/^451 4\.3\.2 /);
    await client.command("RSET");
    expect(await client.command(mail())).toMatch(/^250 /);
    client.end();
    await expect.poll(() => other.command(mail())).toMatch(/^250 /);
    other.end();
  });

  it("takes no more than MAIL announced", async () => {
    const rig = await aRig();
    await rig.receiver("one");
    const client = await SmtpClient.connect(rig.port);
    await client.command("EHLO worker.test");
    await client.command(`MAIL FROM:<a@shop.test> SIZE=100 ENVID=${aTicket()}`);
    await client.command("RCPT TO:<a@one.test>");
    await client.command("DATA");
    client.write(`${"x".repeat(200)}\r\n.\r\n`);
    expect(await client.reply()).toMatch(/^552 5\.3\.4 /);
    client.end();
  });
});

describe("content with a bare LF", () => {
  it("is refused, and what follows it does not run as commands", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one");
    const client = await SmtpClient.connect(rig.port);
    await client.command("EHLO worker.test");
    await client.command(`MAIL FROM:<a@shop.test> ENVID=${aTicket()}`);
    await client.command("RCPT TO:<a@one.test>");
    await client.command("DATA");
    client.write(`Subject: x\r\n\r\nx\n.\nMAIL FROM:<b@shop.test>\r\n.\r\n`);
    expect(await client.reply()).toMatch(/^554 5\.6\.0 /);
    await client.closed();
    expect(server.messages).toEqual([]);
  });
});

describe("a repeated hand-over", () => {
  it("gets the known result and is not delivered twice", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one");
    const ticket = aTicket();
    await rig.handOver({ to: ["a@one.test"], ticket });
    await expect.poll(() => rig.worker.resultsOf("a@one.test").length).toBe(1);
    const [again] = await rig.handOver({ to: ["a@one.test"], ticket });
    expect(again).toMatchObject({ kind: "accepted" });
    await expect.poll(() => rig.worker.resultsOf("a@one.test").length).toBe(2);
    const [first, second] = rig.worker.resultsOf("a@one.test");
    expect(second).toEqual(first);
    expect(server.messages).toHaveLength(1);
  });

  it("of an email that is on its way joins it", async () => {
    // The receiver takes a message a second.
    const receivers = [{ name: "one", mxSuffixes: [".one.test"], limits: { messagesPerMinute: 60 } }];
    const clock = new ManualClock();
    const rig = await aRig({ groupMs: 0 }, { receivers, clock });
    const server = await rig.receiver("one");
    await rig.handOver({ to: ["first@one.test"] });
    const ticket = aTicket();
    for (let n = 0; n < 2; n++) await rig.handOver({ to: ["a@one.test"], ticket });
    await rig.handOver({ to: ["b@one.test"] });
    const resultsOfB = async () => {
      await clock.advance(1_000);
      return rig.worker.resultsOf("b@one.test");
    };
    await expect.poll(resultsOfB).toHaveLength(1);
    expect(rig.worker.resultsOf("a@one.test")).toHaveLength(1);
    expect(server.messages).toHaveLength(3);
  });

  it("with another ticket is another attempt", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one", { transactions: [{ rcpt: ["451 4.3.0 Later"] }] });
    await rig.handOver({ to: ["a@one.test"] });
    await expect.poll(() => rig.worker.resultsOf("a@one.test")).toMatchObject([{ kind: "deferred", phase: "rcpt" }]);
    await rig.handOver({ to: ["a@one.test"] });
    await expect.poll(() => server.messages.length).toBe(1);
  });
});
