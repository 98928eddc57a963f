/** The egress takes emails of the Worker and delivers them to the servers of their recipients. */
import { describe, expect, it, vi } from "vitest";
import { aTicket } from "./support/egress/hand-over.ts";
import { egressRigs } from "./support/egress/rigs.ts";
import { byExtent } from "./support/extent.ts";
import { SmtpClient } from "./support/smtp-client.ts";

const aRig = egressRigs();

describe("an email", () => {
  it("is delivered to the MX host of its recipient, whose reply the Worker gets word by word", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one", { transactions: [{ dot: "250 2.0.0 Ok: queued as 4F2" }] });
    const ticket = aTicket();
    const [result] = await rig.handOver({ to: ["a@one.test"], ticket });
    expect(result).toMatchObject({ kind: "accepted", reply: { code: 250 } });
    await expect
      .poll(() => rig.worker.acknowledged)
      .toEqual([
        {
          ticket,
          recipients: [
            {
              address: "a@one.test",
              result: {
                kind: "accepted",
                reply: { code: 250, enhanced: "2.0.0", text: "Ok: queued as 4F2" },
                relay: "mx.one.test",
                receiver: "one.test",
                at: expect.any(Number),
              },
            },
          ],
        },
      ]);
    const [message] = server.messages;
    expect(message?.rcpts).toEqual(["RCPT TO:<a@one.test>"]);
    expect(Buffer.from(message?.base64 ?? "", "base64").toString()).toBe(
      "From: sender@shop.test\r\nSubject: test\r\n\r\nHello.\r\n",
    );
  });
});

describe("the recipients of an email", () => {
  it("share a transaction where they are of one domain, and each has the reply that it got", async () => {
    const rig = await aRig();
    const one = await rig.receiver("one", { recipients: { "b@one.test": "550 5.1.1 No such user" } });
    const two = await rig.receiver("two", { transactions: [{ dot: "451 4.3.0 Later" }] });
    const results = await rig.handOver({ to: ["a@one.test", "b@one.test", "c@two.test"] });
    expect(results.map(({ kind }) => kind)).toEqual(["accepted", "accepted", "accepted"]);
    await expect
      .poll(() => rig.worker.resultsOf("c@two.test"))
      .toMatchObject([
        { kind: "deferred", phase: "final-dot", reply: { code: 451, enhanced: "4.3.0", text: "Later" } },
      ]);
    await expect.poll(() => rig.worker.resultsOf("a@one.test")).toMatchObject([{ kind: "accepted" }]);
    expect(rig.worker.resultsOf("b@one.test")).toMatchObject([
      { kind: "recipient-refused", phase: "rcpt", reply: { code: 550, enhanced: "5.1.1", text: "No such user" } },
    ]);
    expect(one.messages).toHaveLength(1);
    expect(two.messages).toHaveLength(1);
    expect([...rig.worker.addresses]).toHaveLength(1);
  });

  it("keep their addresses as the Worker wrote them, also those of other scripts", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one");
    rig.zone["xn--bcher-kva.test"] = { mx: [[10, "mx.one.test"]] };
    const to = ["Üser@xn--bcher-kva.test", "Mixed.Case+tag@One.test", ".dot.@one.test"];
    await rig.handOver({ to, needsSmtpUtf8: true });
    await expect.poll(() => to.map((address) => rig.worker.resultsOf(address).length)).toEqual([1, 1, 1]);
    const sent = server.messages.flatMap(({ rcpts }) => rcpts);
    expect(sent.sort()).toEqual(to.map((address) => `RCPT TO:<${address}>`).sort());
  });
});

describe("a large email", () => {
  const mebibytes = byExtent({ quick: 4, full: 24, long: 24 });

  it(`of ${mebibytes} MiB arrives with each of its bytes`, async () => {
    const rig = await aRig();
    const server = await rig.receiver("one");
    const text = `${`${"x".repeat(1_018)}\r\n..\r\n`.repeat(mebibytes * 1_024)}end`;
    await rig.handOver({ to: ["a@one.test"], text });
    await expect.poll(() => rig.worker.resultsOf("a@one.test")).toMatchObject([{ kind: "accepted" }]);
    const received = Buffer.from(server.messages[0]?.base64 ?? "", "base64").toString();
    expect(received.endsWith(`\r\n\r\n${text}\r\n`)).toBe(true);
  });
});

describe("the hand-over", () => {
  it("greets without waiting, offers XLEASE, and takes no strange ticket", async () => {
    const rig = await aRig();
    // Of smtp-server too, which lets a timer run before it greets.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const client = await SmtpClient.connect(rig.port).finally(() => vi.useRealTimers());
    const offers = await client.command("EHLO worker.test");
    for (const keyword of ["PIPELINING", "8BITMIME", "SMTPUTF8", "DSN", "ENHANCEDSTATUSCODES", "XLEASE 2", "SIZE "])
      expect(offers).toContain(`250-${keyword}`.replace("250-XLEASE", "250 XLEASE"));
    expect(await client.command("MAIL FROM:<a@shop.test> ENVID=1.2.3")).toMatch(/^451 4\.5\.4 /);
    expect(await client.command(`MAIL FROM:<a@shop.test> ENVID=${aTicket()}`)).toMatch(/^250 /);
    client.end();
  });
});
