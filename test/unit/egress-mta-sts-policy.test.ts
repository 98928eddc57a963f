/** The texts of MTA-STS (RFC 8461): TXT records, policies and names of hosts. */
import { describe, expect, it } from "vitest";
import { namesHost, parsePolicy, policyId } from "../../smtp-egress/mta-sts-policy.ts";

describe("the TXT records of a domain", () => {
  it.each([
    [["v=STSv1; id=20160831085700Z;"], "20160831085700Z"],
    [["v=spf1 -all", "v=STSv1;id=1"], "1"],
    [["v=STSv1; id=1; future=x"], "1"],
    [["v=STSv1; id=1;", "v=STSv1; id=2;"], null],
    [["v=STSv1; id=has-dash;"], null],
    [["v=STSv2; id=1;"], null],
    [[], null],
  ])("%j announce the policy %s", (texts, id) => {
    expect(policyId(texts)).toBe(id);
  });
});

describe("a policy", () => {
  const lines = ["version: STSv1", "mode: enforce", "mx: mail.example.com", "mx: *.Example.net", "max_age: 604800"];

  it("is read with any line end, and with fields that are not known", () => {
    const policy = { mode: "enforce", mx: ["mail.example.com", "*.example.net"], maxAgeMs: 604_800_000 };
    expect(parsePolicy(lines.join("\r\n"))).toEqual(policy);
    expect(parsePolicy(`${lines.join("\n")}\nnew_field: x\n`)).toEqual(policy);
  });

  it("holds for a year at most", () => {
    expect(parsePolicy([...lines.slice(0, 4), "max_age: 9999999999"].join("\n"))?.maxAgeMs).toBe(31_557_600_000);
  });

  it("needs its version, a mode, an age, and hosts unless its mode is none", () => {
    for (const missing of [0, 1, 4]) expect(parsePolicy(lines.toSpliced(missing, 1).join("\n"))).toBeNull();
    expect(parsePolicy("version: STSv1\nmode: enforce\nmax_age: 1")).toBeNull();
    expect(parsePolicy("version: STSv1\nmode: none\nmax_age: 1")).toEqual({ mode: "none", mx: [], maxAgeMs: 1_000 });
    expect(parsePolicy(`${lines.join("\n")}\n<html>`)).toBeNull();
    expect(parsePolicy(`${lines.join("\n")}\nmx: a b`)).toBeNull();
  });

  it("names hosts, with a star for one label", () => {
    const policy = { mode: "enforce", mx: ["mail.example.com", "*.example.net"], maxAgeMs: 1 } as const;
    for (const host of ["mail.example.com", "a.example.net"]) expect(namesHost(policy, host), host).toBe(true);
    for (const host of ["example.net", "a.b.example.net", "mail2.example.com", "com", "example.net."])
      expect(namesHost(policy, host), host).toBe(false);
  });
});
