/** `npm run admin -- egress check`: the addresses from which mail leaves, and domains and resolvers that do not help. */
import { describe, expect, it } from "vitest";
import type { Finding } from "../../../dev/egress/check/finding.ts";
import { isSeenOutside } from "../../../dev/egress/check/outgoing.ts";
import { type CheckOptions, checkEgress } from "../../../dev/egress/check/run.ts";
import { startTestDns, type ZoneEntry } from "../support/egress/dns.ts";

const NAME = "relay.example.com";
const ADDRESS = "192.0.2.10";
const IPV6 = "2001:db8::10";
const ptrName = "10.2.0.192.in-addr.arpa";
const ptr6Name = `0.1.${"0.".repeat(22)}8.b.d.0.1.0.0.2.ip6.arpa`;

type Zone = Record<string, ZoneEntry>;

const goodZone: Zone = {
  [NAME]: { a: [ADDRESS], aaaa: [IPV6] },
  [ptrName]: { ptr: [NAME] },
  [ptr6Name]: { ptr: [NAME] },
};

/** Runs the check with a zone on a machine with these addresses, and returns its findings. */
async function check(zone: Zone, options: CheckOptions = {}, outgoing: readonly string[] = []): Promise<Finding[]> {
  const dns = await startTestDns(zone);
  try {
    const given = { name: NAME, dns: dns.server, egress: "smtp://127.0.0.1:587/?tls=off", ...options };
    return await checkEgress(given, { env: {}, outgoing, now: Date.now() });
  } finally {
    dns.close();
  }
}

/** Returns the findings with a subject that begins so. */
const about = (findings: readonly Finding[], subject: string) =>
  findings.filter((finding) => finding.subject.startsWith(subject));

describe("the names of a host", () => {
  it("are those of the address from which the machine sends, not of the one that the name has", async () => {
    const zone = { ...goodZone, [NAME]: { a: ["198.51.100.99"] } };
    const findings = await check(zone, {}, [ADDRESS]);
    expect(about(findings, "PTR").map(({ subject }) => subject)).toEqual([`PTR of ${ADDRESS}`]);
    expect(about(findings, "EHLO")).toMatchObject([
      { state: "wrong", advice: `publish the record "${NAME} A ${ADDRESS}".` },
    ]);
  });

  it("are wrong when the machine also sends by IPv6 and the name has no AAAA record", async () => {
    const zone = { [NAME]: { a: [ADDRESS] }, [ptrName]: { ptr: [NAME] } };
    const findings = await check(zone, {}, [ADDRESS, IPV6]);
    expect(about(findings, "PTR").map(({ state }) => state)).toEqual(["ok", "wrong"]);
    expect(about(findings, "EHLO")).toMatchObject([
      { state: "ok" },
      { state: "wrong", advice: expect.stringContaining(`"${NAME} AAAA ${IPV6}"`) },
    ]);
  });

  it("are of the addresses of the name where the machine does not know its own", async () => {
    const findings = await check(goodZone, {}, [IPV6]);
    expect(about(findings, "PTR").map(({ subject }) => subject)).toEqual([`PTR of ${IPV6}`, `PTR of ${ADDRESS}`]);
    expect(["10.1.2.3", "100.64.0.1", "192.168.0.2", "fd00::2", "127.0.0.1"].filter(isSeenOutside)).toEqual([]);
    expect([ADDRESS, "8.8.8.8", "2a00:1450::1"].filter((address) => !isSeenOutside(address))).toEqual([]);
  });

  it("are not known, and none is missing, when no resolver responds", async () => {
    const closed = await startTestDns({});
    closed.close();
    const findings = await check(goodZone, { dns: closed.server });
    expect(about(findings, "EHLO")).toMatchObject([
      {
        state: "wrong",
        text: "the resolver has no answer (ECONNREFUSED).",
        advice: expect.stringContaining("unbound"),
      },
    ]);
  });
});

describe("port 25", () => {
  it("is not tried at a domain that takes no mail", async () => {
    const zone: Zone = { ...goodZone, "null.test": { mx: [[0, ""]], a: ["127.0.0.99"] } };
    const findings = await check(zone, { to: "null.test" }, [ADDRESS]);
    expect(about(findings, "port 25")).toMatchObject([
      { state: "unchecked", text: "null.test takes no mail, so it has no mail server." },
    ]);
  });
});
