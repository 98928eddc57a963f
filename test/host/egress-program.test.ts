/** The egress takes emails of the Worker and delivers them to the servers of their recipients. */
import { afterEach, describe, expect, it } from "vitest";
import { aTicket, type EgressRig, startEgressRig } from "./support/egress/rig.ts";
import { SmtpClient } from "./support/smtp-client.ts";

const rigs: EgressRig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

async function aRig(...options: Parameters<typeof startEgressRig>): Promise<EgressRig> {
  const rig = await startEgressRig(...options);
  rigs.push(rig);
  return rig;
}

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

describe("the hand-over", () => {
  it("greets within 50 ms, offers XLEASE, and takes no email without a ticket", async () => {
    const rig = await aRig();
    const start = performance.now();
    const client = await SmtpClient.connect(rig.port);
    expect(performance.now() - start).toBeLessThan(50);
    const offers = await client.command("EHLO worker.test");
    for (const keyword of ["PIPELINING", "8BITMIME", "SMTPUTF8", "DSN", "ENHANCEDSTATUSCODES", "XLEASE 1", "SIZE "])
      expect(offers).toContain(`250-${keyword}`.replace("250-XLEASE", "250 XLEASE"));
    expect(await client.command("MAIL FROM:<a@shop.test>")).toMatch(/^550 5\.5\.4 /);
    expect(await client.command("MAIL FROM:<a@shop.test> ENVID=1.2.3")).toMatch(/^550 5\.5\.4 /);
    expect(await client.command(`MAIL FROM:<a@shop.test> ENVID=${aTicket()}`)).toMatch(/^250 /);
    client.end();
  });
});
