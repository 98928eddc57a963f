/** TLSA records and the chains that they authenticate (RFC 6698, RFC 7671, RFC 7672 3). */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { chainIssue } from "../../../smtp-egress/dane/match-chain.ts";
import { readDaneResolver } from "../../../smtp-egress/dane/resolver-address.ts";
import { type TlsaRecord, usableRecords } from "../../../smtp-egress/dane/tlsa.ts";
import type { TlsaFound } from "../../../smtp-egress/dane/tlsa-lookups.ts";
import { keyOfRule, ruleOf } from "../../../smtp-egress/tls-rule.ts";
import { type Chain, makeChain, tlsaOf } from "../support/egress/chains.ts";

const NAMES = ["mx.one.test", "one.test"];
const DAY_MS = 86_400_000;
const COMBINATIONS = [0, 1].flatMap((selector) => [0, 1, 2].map((matchingType) => [selector, matchingType] as const));

let chain: Chain;
let other: Chain;
beforeAll(async () => {
  [chain, other] = await Promise.all([makeChain(), makeChain()]);
});

const whole = ({ leaf, middle, root }: Chain) => [leaf, middle, root];
const issueOf = (records: TlsaRecord[], certificates = whole(chain), names = NAMES, now = Date.now()) =>
  chainIssue(certificates, { records, names }, now);

describe.each(COMBINATIONS)("a record with selector %i and matching type %i", (selector, matchingType) => {
  it("of usage DANE-EE authenticates the certificate of the server, and no other", () => {
    const record = tlsaOf(chain.leaf, 3, selector, matchingType);
    expect(usableRecords([record])).toEqual([record]);
    expect(issueOf([record])).toBeNull();
    expect(issueOf([record], [chain.leaf])).toBeNull();
    expect(issueOf([record], whole(other))).toBe("its certificate matches no TLSA record");
    expect(issueOf([tlsaOf(chain.middle, 3, selector, matchingType)])).toBe("its certificate matches no TLSA record");
  });

  it.each(["middle", "root"] as const)("of usage DANE-TA authenticates what its %s authority has issued", (part) => {
    const record = tlsaOf(chain[part], 2, selector, matchingType);
    expect(usableRecords([record])).toEqual([record]);
    expect(issueOf([record])).toBeNull();
    expect(issueOf([record], whole(other))).toBe("its certificate matches no TLSA record");
  });

  it("of usage DANE-TA is not met by the certificate of the server itself", () => {
    expect(issueOf([tlsaOf(chain.leaf, 2, selector, matchingType)])).toBe("its certificate matches no TLSA record");
  });

  it.each([0, 1, 4, 255])("of usage %i is unusable", (usage) => {
    expect(usableRecords([tlsaOf(chain.leaf, usage, selector, matchingType)])).toEqual([]);
  });
});

describe("a record", () => {
  it.each([
    ["an unknown selector", 3, 2, 1, 32],
    ["an unknown matching type", 3, 1, 3, 48],
    ["a SHA2-256 digest of another length", 3, 1, 1, 31],
    ["a SHA2-512 digest of another length", 3, 1, 2, 32],
    ["no data", 3, 1, 1, 0],
    ["a certificate that is none", 2, 0, 0, 300],
    ["a key that is none", 3, 1, 0, 91],
  ])("with %s is unusable", (_, usage, selector, matchingType, bytes) => {
    expect(usableRecords([{ usage, selector, matchingType, certificate: randomBytes(bytes) }])).toEqual([]);
  });

  it("with a weaker digest does not count beside a stronger one of the same usage and selector", () => {
    const weaker = tlsaOf(chain.leaf, 3, 1, 1);
    const stronger = tlsaOf(other.leaf, 3, 1, 2);
    expect(usableRecords([weaker, stronger])).toEqual([stronger]);
    const ofOtherKind = [tlsaOf(chain.leaf, 3, 0, 1), tlsaOf(chain.root, 2, 1, 1), tlsaOf(chain.leaf, 3, 1, 0)];
    expect(usableRecords([...ofOtherKind, stronger])).toEqual([...ofOtherKind, stronger]);
  });

  it("beside others needs no match when one of them has one", () => {
    expect(issueOf([tlsaOf(other.leaf, 3, 1, 1), tlsaOf(chain.leaf, 3, 1, 1)])).toBeNull();
    expect(issueOf([tlsaOf(other.root, 2, 1, 1), tlsaOf(chain.leaf, 3, 1, 1)])).toBeNull();
  });
});

describe("a chain", () => {
  it.each([
    [0, 0],
    [1, 0],
  ])("that lacks its authority is met by the whole of it in a record (selector %i)", (selector, matchingType) => {
    expect(issueOf([tlsaOf(chain.root, 2, selector, matchingType)], [chain.leaf, chain.middle])).toBeNull();
    expect(issueOf([tlsaOf(chain.middle, 2, selector, matchingType)], [chain.leaf])).toBeNull();
    expect(issueOf([tlsaOf(other.root, 2, selector, matchingType)], [chain.leaf, chain.middle])).not.toBeNull();
  });

  it("that lacks its authority is not met by a digest of it", () => {
    expect(issueOf([tlsaOf(chain.root, 2, 1, 1)], [chain.leaf, chain.middle])).not.toBeNull();
  });

  it("with the named authority beside a certificate that it has not issued is refused", () => {
    expect(issueOf([tlsaOf(chain.root, 2, 1, 1)], [other.leaf, chain.middle, chain.root])).not.toBeNull();
    expect(issueOf([tlsaOf(chain.middle, 2, 1, 1)], [other.leaf, chain.middle, chain.root])).not.toBeNull();
  });

  it("through a certificate that may not issue others is refused", async () => {
    const forged = await makeChain({ isMiddleAuthority: false });
    expect(issueOf([tlsaOf(forged.root, 2, 1, 1)], whole(forged))).toBe("its certificate matches no TLSA record");
  });

  it.each([
    ["its host", ["mx.one.test"], null],
    ["its domain", ["one.test"], null],
    ["a wildcard of its host", ["*.one.test"], null],
    ["another host", ["mx.two.test"], "has none of the names mx.one.test, one.test"],
  ])("with the name of %s is judged by that for DANE-TA, and never for DANE-EE", async (_, names, issue) => {
    const named = await makeChain({ names });
    const found = issueOf([tlsaOf(named.root, 2, 0, 1)], whole(named));
    if (issue === null) expect(found).toBeNull();
    else expect(found).toContain(issue);
    expect(issueOf([tlsaOf(named.leaf, 3, 0, 1)], whole(named))).toBeNull();
  });

  it("that is expired or not for servers is refused for DANE-TA, and not for DANE-EE", async () => {
    const now = Date.now();
    const expired = await makeChain({ notAfterDate: new Date(now - DAY_MS) });
    expect(issueOf([tlsaOf(expired.root, 2, 1, 1)], whole(expired))).toContain("expired");
    expect(issueOf([tlsaOf(expired.leaf, 3, 1, 1)], whole(expired))).toBeNull();
    expect(issueOf([tlsaOf(chain.root, 2, 1, 1)], whole(chain), NAMES, now - DAY_MS * 30)).toContain("not valid yet");
    const ofClients = await makeChain({ isForClients: true });
    expect(issueOf([tlsaOf(ofClients.root, 2, 1, 1)], whole(ofClients))).toContain("not for servers");
    expect(issueOf([tlsaOf(ofClients.leaf, 3, 1, 1)], whole(ofClients))).toBeNull();
  });

  it("without certificates is refused", () => {
    expect(issueOf([tlsaOf(chain.leaf, 3, 1, 1)], [])).toBe("the server has no certificate");
  });
});

describe("the rule of a host", () => {
  const none: TlsaFound = { kind: "none" };
  const usable: TlsaFound = { kind: "usable", base: "mx.one.test", records: [], key: "k" };
  const unusable: TlsaFound = { kind: "unusable", base: "mx.one.test" };
  const failed: TlsaFound = { kind: "failed", reason: "SERVFAIL" };
  const policy = (mode: "enforce" | "testing", mx: string) => ({ mode, mx: [mx], maxAgeMs: 1 });
  const [naming, notNaming] = [policy("enforce", "mx.one.test"), policy("enforce", "mx.two.test")];
  const testing = policy("testing", "mx.two.test");

  it.each([
    ["no TLSA records", none, null, "opportunistic"],
    ["no TLSA records", none, testing, "opportunistic"],
    ["no TLSA records", none, naming, "certificate"],
    ["no TLSA records", none, notNaming, "forbidden"],
    ["usable records", usable, null, "dane"],
    ["usable records", usable, naming, "dane"],
    ["usable records", usable, notNaming, "dane"],
    ["unusable records", unusable, null, "encrypted"],
    ["unusable records", unusable, testing, "encrypted"],
    ["unusable records", unusable, naming, "certificate"],
    ["unusable records", unusable, notNaming, "forbidden"],
    ["a failed look-up", failed, null, "forbidden"],
    ["a failed look-up", failed, naming, "forbidden"],
  ])("with %s %o and the policy %o is %s", (_, found, given, kind) => {
    expect(ruleOf("one.test", "mx.one.test", given, found).kind).toBe(kind);
  });

  it("differs by records and by names, so that no connection serves another rule", () => {
    const key = (domain: string, records: string) =>
      keyOfRule(ruleOf(domain, "mx.one.test", null, { ...usable, key: records }));
    expect(key("one.test", "k")).toBe(key("one.test", "k"));
    expect(new Set([key("one.test", "k"), key("two.test", "k"), key("one.test", "l")]).size).toBe(3);
  });
});

describe("DANE_RESOLVER", () => {
  it.each([
    ["127.0.0.1:53", { address: "127.0.0.1", port: 53 }],
    ["127.0.0.53", { address: "127.0.0.53", port: 53 }],
    ["[::1]:5353", { address: "::1", port: 5353 }],
    ["::1", { address: "::1", port: 53 }],
    ["", null],
    [undefined, null],
  ])("%s is read", (text, resolver) => {
    expect(readDaneResolver(text, "")).toEqual(resolver);
  });

  it.each([
    "192.0.2.1:53",
    "8.8.8.8",
    "[2001:db8::1]:53",
    "localhost:53",
    "127.0.0.1:0",
    "127.0.0.1:70000",
    "127.0.0.1:",
  ])("%s is refused with its name", (text) => {
    expect(() => readDaneResolver(text, "")).toThrow("DANE_RESOLVER");
  });

  it("excludes DNS_SERVERS, which would have no effect", () => {
    expect(() => readDaneResolver("127.0.0.1", "192.0.2.1")).toThrow("DNS_SERVERS must be empty");
  });
});
