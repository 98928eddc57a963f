/** The egress finds the mail servers of a domain (RFC 5321 5.1), and refuses what can never be delivered. */
import { describe, expect, it } from "vitest";
import { routeOf } from "../../smtp-egress/route.ts";
import type { EgressRig } from "./support/egress/rig.ts";
import { egressRigs } from "./support/egress/rigs.ts";
import { isFull } from "./support/extent.ts";
import { ManualClock } from "./support/manual-clock.ts";

const aRig = egressRigs();

/** Returns the reply to RCPT of a domain. */
async function replyOf(rig: EgressRig, domain: string): Promise<string> {
  const [result] = await rig.handOver({ to: [`a@${domain}`] });
  const reply = result && "reply" in result ? result.reply : null;
  return reply ? `${reply.code} ${reply.enhanced}` : "none";
}

describe("RCPT", () => {
  it.each([
    ["a null MX", "550 5.1.10", { "d.test": { mx: [[0, "."]] } }],
    ["a domain that does not exist", "550 5.1.2", {}],
    ["a domain with neither MX nor address", "550 5.1.2", { "d.test": {} }],
    ["an MX host without an address", "550 5.4.4", { "d.test": { mx: [[1, "mx.d.test"]] } }],
    ["an MX host that is this server", "550 5.4.6", { "d.test": { mx: [[1, "out.egress.test"]] } }],
    [
      "an MX host at a private address",
      "550 5.4.4",
      { "d.test": { mx: [[1, "m.test"]] }, "m.test": { a: ["10.0.0.1"] } },
    ],
    ["an MX host on loopback", "550 5.4.6", { "d.test": { mx: [[1, "m.test"]] }, "m.test": { a: ["127.0.0.1"] } }],
    ["a domain at a link-local address", "550 5.4.4", { "d.test": { a: ["169.254.169.254"] } }],
  ] as const)("refuses %s with %s", async (_, reply, zone) => {
    const rig = await aRig({}, { allowsPrivateAddresses: false });
    Object.assign(rig.zone, zone);
    expect(await replyOf(rig, "d.test")).toBe(reply);
  });

  it.each([false, true])(
    "refuses a domain that no DNS name can be with 550 5.1.2 (with DANE: %s)",
    async (usesDane) => {
      const rig = await aRig({}, { usesDane });
      for (const domain of [`${"a".repeat(64)}.test`, "a..test"])
        expect(await replyOf(rig, domain), domain).toBe("550 5.1.2");
    },
  );

  it("refuses an address literal of a private address", async () => {
    const rig = await aRig({}, { allowsPrivateAddresses: false });
    expect(await replyOf(rig, "[10.0.0.1]")).toBe("550 5.4.4");
    expect(await replyOf(rig, "[IPv6:fd00::1]")).toBe("550 5.4.4");
  });

  it("accepts while DNS does not answer, within its time, and defers the email then", async () => {
    const clock = new ManualClock();
    const rig = await aRig({ dnsMs: 2_000 }, { clock });
    rig.zone["silent.test"] = { fails: "silent" };
    rig.zone["broken.test"] = { fails: "SERVFAIL" };
    expect(await replyOf(rig, "broken.test")).toBe("250 2.6.0");
    const replies: string[] = [];
    const replied = replyOf(rig, "silent.test").then((reply) => replies.push(reply));
    await expect.poll(() => rig.dns.questions).toContain("silent.test");
    await clock.advance(1_999);
    expect(replies).toEqual([]);
    await clock.advance(1);
    await replied;
    expect(replies).toEqual(["250 2.6.0"]);
    // The resolver of Node gives a silent server up after some seconds.
    for (const name of isFull ? ["silent", "broken"] : ["broken"])
      await expect
        .poll(async () => {
          await clock.advance(100);
          return rig.worker.resultsOf(`a@${name}.test`);
        })
        .toEqual([
          {
            ...{ kind: "deferred", phase: "connect", reply: null, reason: `DNS did not answer about ${name}.test` },
            at: expect.any(Number),
          },
        ]);
  });
});

describe("an email", () => {
  it("goes to the domain itself when it has no MX record", async () => {
    const rig = await aRig();
    const server = await rig.receiver("one");
    rig.zone["plain.test"] = { a: rig.zone["mx.one.test"]?.a ?? [] };
    await rig.handOver({ to: ["a@plain.test"] });
    await expect.poll(() => server.messages.length).toBe(1);
  });

  it("goes to the next MX host when the best one refuses the connection, or replies 4xx to it", async () => {
    const rig = await aRig();
    await rig.receiver("busy", { greeting: "421 4.3.2 Too busy" });
    const server = await rig.receiver("one");
    rig.zone["mx.down.test"] = { a: ["127.0.0.99"] };
    rig.zone["three.test"] = {
      mx: [
        [30, "mx.one.test"],
        [10, "mx.down.test"],
        [20, "mx.busy.test"],
      ],
    };
    await rig.handOver({ to: ["a@three.test"] });
    await expect
      .poll(() => rig.worker.resultsOf("a@three.test"))
      .toMatchObject([{ kind: "accepted", relay: "mx.one.test" }]);
    expect(server.messages).toHaveLength(1);
  });

  it("is deferred with the last reply when no host takes the connection", async () => {
    const rig = await aRig();
    await rig.receiver("busy", { greeting: "421 4.3.2 Too busy" });
    await rig.handOver({ to: ["a@busy.test"] });
    await expect
      .poll(() => rig.worker.resultsOf("a@busy.test"))
      .toMatchObject([{ kind: "deferred", phase: "greeting", reply: { code: 421, text: "Too busy" } }]);
  });
});

it("hosts that are no better than this server are left out", () => {
  const addresses = ["192.0.2.1"];
  const host = (name: string, preference: number) => ({ name, preference, addresses, tlsaBases: [], isKnown: true });
  const hosts = [host("a.test", 5), host("out.test", 10), host("b.test", 10), host("c.test", 20)];
  const route = routeOf({ domain: "d.test", isImplicit: false, hosts }, "OUT.test", () => null);
  expect(route).toEqual({ kind: "hosts", hosts: [{ name: "a.test", preference: 5, addresses, tlsaBases: [] }] });
});
