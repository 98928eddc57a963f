import { describe, expect, it } from "vitest";
import { isPublicHost } from "../../../../src/domains/health/fetch-policy.ts";
import type { DnsResult } from "../../../../src/platform/dns/resolve.ts";

const found = (...values: string[]): DnsResult => ({ status: "ok", values });
const FAILED: DnsResult = { status: "temperror", reason: "no response" };

describe("the host of an MTA-STS policy is asked", () => {
  for (const [name, responses, isAsked] of [
    ["at public addresses", [found("198.35.26.96"), found()], true],
    ["at a public IPv6 address alone", [found(), found("2620:0:862:ed1a::1")], true],
    ["never without an address", [found(), found()], false],
    ["never at a loopback address", [found("127.0.0.1"), found()], false],
    ["never at a private address beside a public one", [found("198.35.26.96", "10.0.0.8"), found()], false],
    ["never at a private IPv6 address beside a public IPv4 one", [found("198.35.26.96"), found("fd00::1")], false],
    ["never while a family of addresses is unknown", [found("198.35.26.96"), FAILED], false],
  ] as const)
    it(name, () => {
      expect(isPublicHost(responses)).toBe(isAsked);
    });
});
