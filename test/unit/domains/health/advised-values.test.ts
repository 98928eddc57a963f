/** Values that the doctor advises, read by the reader of their kind and by the check that advised them. */
import { describe, expect, it } from "vitest";
import { checkDkim } from "../../../../src/domains/health/check-dkim.ts";
import { checkDmarc } from "../../../../src/domains/health/check-dmarc.ts";
import { checkMtaSts, checkTlsReports } from "../../../../src/domains/health/check-mta-sts.ts";
import { checkSpf } from "../../../../src/domains/health/check-spf.ts";
import type { DkimEvidence, DnsEvidence, Evidence } from "../../../../src/domains/health/evidence.ts";
import { isDmarcRecord, parseDmarcRecord } from "../../../../src/mail/dmarc/record.ts";
import { parseSpf } from "../../../../src/mail/spf/parse.ts";
import { walkSpf } from "../../../../src/mail/spf/walk.ts";
import type { DnsResult } from "../../../../src/platform/dns/resolve.ts";

const ok = (...values: string[]): DnsResult => ({ status: "ok", values });
const evidenceOf = (dns: Partial<DnsEvidence>, policy: Evidence["policy"] = null): Evidence => ({
  ...{ now: Date.UTC(2026, 10, 23), name: "shop.test", status: "verified", lastCheckedAt: null },
  reportAddress: "reports-1@bounces.mail.test",
  settings: { spfDomain: "spf.mail.test", bounceDomain: "bounces.mail.test", mxHost: "mx.mail.test" },
  ...{ receivesHere: true, policy, hosts: [], reports: null, delivery: null },
  dns: { mx: { response: ok("10 mx.mail.test"), aliases: [], missing: [] }, ...dns } as DnsEvidence,
});
const recordIn = (action = "") => /"(v=[^"]+)"/.exec(action)?.[1] ?? "";

describe("DMARC", () => {
  const check = (text: string) => {
    const policy = { name: "shop.test", text, record: parseDmarcRecord(text), isInherited: false };
    const dmarc = { own: ok(text), doubled: null, authorizations: [] };
    return checkDmarc(evidenceOf({ dmarc }, isDmarcRecord(text) ? policy : "none")).findings;
  };
  const RUA = "rua=mailto:reports-1@bounces.mail.test";

  it.each([
    [`"v=DMARC1; p=reject; ${RUA}"`, `v=DMARC1; p=reject; ${RUA}`],
    [`“v=DMARC1; p=reject; ${RUA}”`, `v=DMARC1; p=reject; ${RUA}`],
    [`v=DMARC1; p="reject"; ${RUA}`, `v=DMARC1; p=reject; ${RUA}`],
    [`v=DMARC1\\; p=\\"reject\\"\\; ${RUA}`, `v=DMARC1; p=reject; ${RUA}`],
    [`v=DMARC1; p=’reject’; ${RUA}`, `v=DMARC1; p=reject; ${RUA}`],
    [`v=DMARC1;\u00a0p=reject;\u00a0${RUA}`, `v=DMARC1; p=reject; ${RUA}`],
    [`v=dmarc1; p=reject; ${RUA}`, `v=DMARC1; p=reject; ${RUA}`],
    [`v=DMARC1, p=reject, ${RUA}`, `v=DMARC1; p=reject; ${RUA}`],
    [`v=DMARC1; p=refuse; ${RUA}`, `v=DMARC1; p=none; ${RUA}`],
    [`v=DMARC1; p=reject; p=none; ${RUA}`, `v=DMARC1; p=reject; ${RUA}`],
    [`v=DMARC1; p=reject; policy=x; adkim=strict; ${RUA}`, `v=DMARC1; p=reject; ${RUA}`],
    ["v=DMARC1; p=none; rua=reports-1@bounces.mail.test", `v=DMARC1; p=none; ${RUA}`],
    [`v=DMARC1; p=none; ${RUA}; mailto:it@shop.test`, `v=DMARC1; p=none; ${RUA},mailto:it@shop.test`],
    [`v=DMARC1; p=none; ${RUA}, it@shop.test`, `v=DMARC1; p=none; ${RUA},mailto:it@shop.test`],
    [`v=DMARC1; p=none; rua=https://shop.test, mailto:it`, "v=DMARC1; p=none"],
  ])("of %j advises a record that our reader takes", (text, right) => {
    const action = check(text).find(({ code }) => code === "dmarc_syntax")?.action;
    expect(recordIn(action)).toBe(right);
    expect(isDmarcRecord(right) && parseDmarcRecord(right).errors).toEqual([]);
    expect(check(right).map(({ code }) => code)).not.toContain("dmarc_syntax");
  });
});

describe("DKIM", () => {
  const expected = `v=DKIM1; k=rsa; p=${"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A".repeat(8)}`;
  const check = (text: string) => {
    const key = { selector: "s1", state: "active", name: "s1._domainkey.shop.test", expected, response: ok(text) };
    return checkDkim(evidenceOf({ dkim: [{ ...key, doubled: null, createdAt: 0, activatedAt: 0 } as DkimEvidence] }))
      .findings;
  };

  it.each([
    ["dkim_damaged", `"${expected}"`],
    ["dkim_damaged", expected.replace("p=", 'p="')],
    ["dkim_damaged", expected.replace("AAOC", 'AA\\" \\"OC')],
    ["dkim_damaged", `“${expected}”`],
    ["dkim_tags", expected.replace("v=DKIM1", '"v=DKIM1"')],
    ["dkim_tags", expected.replace("DKIM1", "“DKIM1”")],
    ["dkim_tags", expected.replaceAll(";", "\\;")],
    ["dkim_tags", expected.replace("rsa", '"rsa"')],
  ])("finds %s in quotes inside of a value, and advises the key", (code, text) => {
    expect(check(text)).toMatchObject([{ code, action: expect.stringContaining(`"${expected}"`) }]);
    expect(check(expected)).toEqual([]);
  });
});

describe("SPF", () => {
  const check = async (...texts: string[]) => {
    const zone: Record<string, string[]> = {
      "shop.test": texts,
      "spf.mail.test": ["v=spf1 ip4:192.0.2.1 -all"],
      "large.test": [`v=spf1 ${Array.from({ length: 5 }, (_, n) => `exists:%{i}.${n}.test`).join(" ")} -all`],
    };
    const evaluation = await walkSpf(
      async (name, type) => (type === "TXT" && zone[name]) || [],
      "shop.test",
      "spf.mail.test",
    );
    const spf = { evaluation, txt: ok(...texts), alias: ok(), doubled: null, serviceNetworks: [] };
    return checkSpf(evidenceOf({ spf })).findings;
  };

  it.each([
    ['"v=spf1 include:spf.mail.test ip4:192.0.2.7 ~all"', "spf_syntax"],
    ['v=spf1 "include:spf.mail.test" ip4:192.0.2.7 ~all', "spf_syntax"],
    ["v=spf1 include:spf.mail.test ‘ip4:192.0.2.7’ ~all", "spf_syntax"],
    ['v=spf1 include:spf.mail.test ip4:192.0.2.7 \\"~all\\"', "spf_syntax"],
    ["spf1 include:spf.mail.test ip4:192.0.2.7 ~all", "spf_syntax"],
    ["v=spf1 ip4:192.0.2.7 ~all include:spf.mail.test", "spf_without_service"],
    ["v=spf1 -include:spf.mail.test ip4:192.0.2.7 ~all", "spf_without_service"],
  ])("of %j advises a record without a finding", async (text, code) => {
    const finding = (await check(text)).find((one) => one.code === code);
    expect(recordIn(finding?.action)).toBe("v=spf1 include:spf.mail.test ip4:192.0.2.7 ~all");
    expect(parseSpf(recordIn(finding?.action)).errors).toEqual([]);
    expect(await check(recordIn(finding?.action))).toEqual([]);
  });

  it("of several says that the records which they include ask DNS too often", async () => {
    const merged = (...texts: string[]) => check(...texts).then(([finding]) => finding?.action ?? "");
    const LARGE = "v=spf1 include:large.test -all";
    expect(await merged(LARGE, "v=spf1 a:%{d} mx:%{d} ptr exists:%{i}.test -all")).toContain(
      "more than 10 DNS look-ups",
    );
    expect(await merged(LARGE, "v=spf1 a:%{d} mx:%{d} include:large.test -all")).not.toContain("look-ups");
  });
});

it("an MTA-STS record and a policy that are advised are without a finding", () => {
  const host = ok("192.0.2.1");
  const check = (record: string, text: string) =>
    checkMtaSts(evidenceOf({ mtaSts: { record: ok(record), host, policy: { status: 200, text } } })).findings;
  const [invalid] = check("v=STSv1", "");
  const [policy] = check(recordIn(invalid?.action), "");
  const lines = [...(policy?.action ?? "").matchAll(/"([a-z_]+: [^"]+)"/g)].map(([, line]) => line);
  expect(check(recordIn(invalid?.action), lines.join("\r\n"))).toEqual([]);
});

it("a record for TLS reports that is advised is without a finding", () => {
  const mtaSts = { record: ok("v=STSv1; id=1"), host: ok(), policy: null };
  const check = (text: string) => checkTlsReports(evidenceOf({ mtaSts, tlsReports: ok(text) })).findings;
  for (const text of ["", '"v=TLSRPTv1; rua=mailto:x@shop.test"', "v=TLSRPTv1; rua=“mailto:x”"]) {
    const [finding] = check(text);
    expect(recordIn(finding?.action)).toBe("v=TLSRPTv1; rua=mailto:reports-1@bounces.mail.test");
    expect(check(recordIn(finding?.action))).toEqual([]);
  }
});
