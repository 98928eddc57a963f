import { describe, expect, it } from "vitest";
import { knownNetwork } from "../../../src/domains/reports/known-networks.ts";
import { knownSender } from "../../../src/domains/reports/known-senders.ts";
import { nameSources } from "../../../src/domains/reports/name-sources.ts";
import { reverseName } from "../../../src/lib/ip-addresses.ts";
import { failQueries, publish, queries } from "../../support/dns-control.ts";
import { testContext } from "../../support/workspace.ts";

const ctx = testContext();

/** Gives an address a name, and the name an address. */
async function give(address: string, host: string, back = address): Promise<void> {
  const type = back.includes(":") ? ("AAAA" as const) : ("A" as const);
  await publish([
    { type: "PTR", name: reverseName(address) ?? "", value: host },
    { type, name: host, value: back },
  ]);
}

describe("the name of a PTR record", () => {
  for (const [address, name] of [
    ["192.0.2.17", "17.2.0.192.in-addr.arpa"],
    ["2001:db8::567:89ab", "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"],
    ["example.com", null],
    ["", null],
  ] as const)
    it(`of ${address || "nothing"} is ${name}`, () => {
      expect(reverseName(address)).toBe(name);
    });
});

describe("the servers of a report", () => {
  it("have the name that leads back to them, and the service that it belongs to", async () => {
    await give("198.51.100.21", "o21.ptr.sendgrid.net");
    await give("198.51.100.22", "mail.shop.example");
    await give("2001:db8:5::9", "mail-6.google.com");
    const names = await nameSources(ctx, ["198.51.100.21", "198.51.100.22", "2001:db8:5::9"]);
    expect(Object.fromEntries(names)).toEqual({
      "198.51.100.21": { host: "o21.ptr.sendgrid.net", service: "SendGrid" },
      "198.51.100.22": { host: "mail.shop.example", service: null },
      "2001:db8:5::9": { host: "mail-6.google.com", service: "Google" },
    });
  });

  it("have no name that does not lead back, none when DNS fails, and none beyond the first twenty", async () => {
    await give("198.51.100.23", "mail-1.google.com", "198.51.100.99");
    await failQueries(reverseName("198.51.100.24") ?? "", "servfail");
    const many = Array.from({ length: 30 }, (_, n) => `198.51.100.${100 + n}`);
    await give("198.51.100.129", "late.google.com");
    const names = await nameSources(ctx, ["198.51.100.23", "198.51.100.24", "", ...many]);
    expect([...names]).toEqual([]);
    expect(await queries(reverseName("198.51.100.129") ?? "")).toBe(0);
    expect([...(await nameSources(ctx, ["198.51.100.129"]))]).toHaveLength(1);
  });

  it("without a name belong to the service whose network has their address, beyond the first twenty too", async () => {
    const many = Array.from({ length: 25 }, (_, n) => `192.0.2.${150 + n}`);
    const known = ["209.85.220.41", "40.107.22.52", "2a01:111:f403:c000::1", "149.72.1.2"];
    expect(Object.fromEntries(await nameSources(ctx, [...many, ...known]))).toEqual({
      "209.85.220.41": { host: null, service: "Google" },
      "40.107.22.52": { host: null, service: "Microsoft 365" },
      "2a01:111:f403:c000::1": { host: null, service: "Microsoft 365" },
      "149.72.1.2": { host: null, service: "SendGrid" },
    });
    for (const [address, service] of [
      ["209.85.127.255", null],
      ["209.85.128.0", "Google"],
      ["209.85.255.255", "Google"],
      ["209.86.0.0", null],
      ["no address", null],
    ] as const)
      expect(knownNetwork(address), address).toBe(service);
  });

  it("belong to a service by the end of their name, at a dot", () => {
    expect(knownSender("a.b.amazonses.com")).toBe("Amazon SES");
    expect(knownSender("evilgoogle.com")).toBeNull();
    expect(knownSender("google.com.evil.example")).toBeNull();
  });
});
