/** Checks of evidence that no local server can give: reports, replies, rates and MTA-STS policies. */
import { describe, expect, it } from "vitest";
import { checkRates, checkReplies } from "../../../../src/domains/health/check-delivery.ts";
import { checkPolicyAgainstReports } from "../../../../src/domains/health/check-dmarc.ts";
import { checkMtaSts } from "../../../../src/domains/health/check-mta-sts.ts";
import { checkSenders, checkTlsFailures } from "../../../../src/domains/health/check-reports.ts";
import { checkHosts } from "../../../../src/domains/health/check-single.ts";
import { checks } from "../../../../src/domains/health/checks.ts";
import { findingCodes } from "../../../../src/domains/health/codes.ts";
import type { DnsEvidence, Evidence } from "../../../../src/domains/health/evidence.ts";
import { parseDmarcRecord } from "../../../../src/mail/dmarc/record.ts";
import type { DnsResult } from "../../../../src/platform/dns/resolve.ts";

const NOTHING: Evidence = {
  ...{
    now: Date.UTC(2026, 10, 23),
    name: "shop.test",
    status: "verified",
    lastCheckedAt: null,
    reportAddress: "reports-1@bounces.mail.test",
  },
  settings: { spfDomain: "spf.mail.test", bounceDomain: "bounces.mail.test", mxHost: "mx.mail.test" },
  ...{ receivesHere: true, dns: null, policy: null, hosts: [], reports: null, delivery: null },
};
const NO_TLS = { sessions: 0, failed: 0, failures: [] };
const reports = (
  unaligned: NonNullable<Evidence["reports"]>["unaligned"],
  messages: number,
  tls = NO_TLS as NonNullable<Evidence["reports"]>["tls"],
) => {
  const sum = unaligned.reduce((total, one) => total + one.unaligned, 0);
  return { ...NOTHING, reports: { days: 7, messages, aligned: messages - sum, unaligned, tls } };
};
const policy = (text: string, isInherited = false): Evidence["policy"] => ({
  ...{ name: "shop.test", text, record: parseDmarcRecord(text), isInherited },
});
const codesOf = (result: ReturnType<(typeof checks)[number]["run"]>) => result.findings.map(({ code }) => code);

it("a host that cannot be used is a finding with what to do, and others are none", () => {
  const hosts = [
    { name: "links.shop.test", purpose: "link" as const, status: "failed", problem: "Ask to unblock it." },
    { name: "mta-sts.shop.test", purpose: "mta_sts" as const, status: "active", problem: null },
  ];
  expect(checkHosts({ ...NOTHING, hosts }).findings).toMatchObject([
    { code: "host_failed", subject: "links.shop.test", action: "Ask to unblock it." },
  ]);
});

it("each code of a finding belongs to one check", () => {
  const owners = Object.keys(findingCodes).map((code) => [code, checks.filter(({ codes }) => codes.test(code)).length]);
  expect(owners).toEqual(Object.keys(findingCodes).map((code) => [code, 1]));
});

describe("reports", () => {
  const sendgrid = { source: "192.0.2.1", name: "SendGrid", messages: 120, unaligned: 120 };

  it("name a sender that is not aligned, with its count", () => {
    const { findings } = checkSenders(reports([sendgrid], 1_000));
    expect(findings).toMatchObject([{ code: "sender_not_aligned", subject: "192.0.2.1" }]);
    expect(findings[0]?.problem).toContain("SendGrid (192.0.2.1) sent 120 messages as shop.test");
  });

  it("say where the owner of a delegated domain loosens a policy: here, or in a record of its own", () => {
    const targets = { dmarc: "dmarc.token.zone.test", mtaSts: null, mtaStsId: null, tlsReports: null };
    const unaligned = { ...reports([sendgrid], 1_000), targets };
    const actionOn = (text: string) =>
      checkPolicyAgainstReports({ ...unaligned, policy: policy(text) }).findings[0]?.action;
    expect(actionOn(`v=DMARC1; p=reject; rua=mailto:${NOTHING.reportAddress}`)).toContain(
      "(dmarc_policy) of shop.test",
    );
    expect(actionOn("v=DMARC1; p=reject")).toContain("the record at _dmarc.shop.test");
  });

  it.each([
    ["few messages", [{ ...sendgrid, messages: 4, unaligned: 4 }], 10],
    ["a small share of all", [{ ...sendgrid, messages: 50, unaligned: 50 }], 10_000],
    ["an own server some of whose mail is forwarded", [{ ...sendgrid, messages: 900, unaligned: 20 }], 1_000],
  ])("say nothing of %s", (_, unaligned, messages) => {
    expect(checkSenders(reports(unaligned, messages)).findings).toEqual([]);
  });

  it.each([
    ["v=DMARC1; p=reject", false, ["dmarc_refuses_unaligned"]],
    ["v=DMARC1; p=quarantine", false, ["dmarc_refuses_unaligned"]],
    ["v=DMARC1; p=reject; t=y", false, []],
    ["v=DMARC1; p=none", false, []],
    ["v=DMARC1; p=reject; sp=none", true, []],
    ["v=DMARC1; p=none; sp=reject", true, ["dmarc_refuses_unaligned"]],
  ])("with mail that is not aligned beside %s (inherited: %s)", (text, isInherited, codes) => {
    const evidence = { ...reports([sendgrid], 1_000), policy: policy(text, isInherited) };
    expect(codesOf(checkPolicyAgainstReports(evidence))).toEqual(codes);
  });

  it("name the failure of TLS and its server", () => {
    const tls = {
      sessions: 200,
      failed: 30,
      failures: [{ failure: "certificate-expired", server: "mx.mail.test", sessions: 30 }],
    };
    const { findings } = checkTlsFailures(reports([], 0, tls));
    expect(findings).toMatchObject([
      { code: "tls_failures", problem: expect.stringContaining("the certificate has expired") },
    ]);
    expect(checkTlsFailures(reports([], 0, { ...tls, sessions: 40_000 })).findings).toEqual([]);
  });
});

describe("deliveries", () => {
  const delivery = (replies: readonly string[], { sent = 300, bounced = 0, complained = 0 } = {}): Evidence => ({
    ...NOTHING,
    delivery: { replies: replies.map((response) => ({ receiver: "gmail.test", response })), sent, bounced, complained },
  });
  const times = (count: number, text: string) => Array.from({ length: count }, () => text);

  it.each([
    [
      "a receiver that blocks",
      times(5, "550 5.7.1 Our system has blocked messages from this domain due to poor reputation"),
      ["blocked_by_receiver"],
    ],
    ["refusals by policy", times(6, "550 5.7.26 This mail is unauthenticated"), ["refused_by_policy"]],
    ["few refusals", times(3, "550 5.7.26 This mail is unauthenticated"), []],
    ["addresses that do not exist", times(50, "550 5.1.1 no such user"), []],
    ["mailboxes that are full", times(50, "452 4.2.2 mailbox full"), []],
  ])("%s", (_, replies, codes) => {
    expect(codesOf(checkReplies(delivery(replies)))).toEqual(codes);
  });

  it.each([
    [{ sent: 1_000, bounced: 30, complained: 0 }, ["bounce_rate"]],
    [{ sent: 1_000, bounced: 5, complained: 2 }, ["complaint_rate"]],
    [{ sent: 1_000, bounced: 20, complained: 1 }, []],
    [{ sent: 100, bounced: 50, complained: 5 }, []],
  ])("rates %j", (counts, codes) => {
    expect(codesOf(checkRates(delivery([], counts)))).toEqual(codes);
  });
});

describe("an MTA-STS policy", () => {
  const ok = (...values: string[]): DnsResult => ({ status: "ok", values });
  const right = ["version: STSv1", "mode: enforce", "mx: mx.mail.test", "max_age: 604800", ""].join("\r\n");
  const evidence = ({
    text = right,
    status = 200,
    record = ok("v=STSv1; id=20261101"),
    host = ok("192.0.2.1"),
    mx = ok("10 mx.mail.test"),
    hosted = null as { record: string | null } | null,
  } = {}): Evidence => ({
    ...NOTHING,
    dns: {
      mtaSts: { record, host, policy: { status, text }, hosted },
      mx: { response: mx, aliases: [], missing: [] },
    } as unknown as DnsEvidence,
  });

  it.each([
    ["that is right", evidence(), []],
    ["for all hosts of a name", evidence({ text: right.replace("mx.mail.test", "*.mail.test") }), []],
    ["that is switched off", evidence({ text: "version: STSv1\nmode: none\nmax_age: 86400\n" }), []],
    ["that is not there", evidence({ status: 404, text: "" }), ["mta_sts_unreachable"]],
    ["that redirects", evidence({ status: 301, text: "" }), ["mta_sts_unreachable"]],
    ["that is a page", evidence({ text: "<html>" }), ["mta_sts_invalid"]],
    ["without max_age", evidence({ text: right.replace("max_age: 604800", "") }), ["mta_sts_invalid"]],
    ["that expires at once", evidence({ text: right.replace("604800", "0") }), ["mta_sts_short"]],
    ["for other servers", evidence({ text: right.replace("mx.mail.test", "mx.elsewhere.test") }), ["mta_sts_other_mx"]],
    ["for one of two servers", evidence({ mx: ok("10 mx.mail.test", "20 mx2.mail.test") }), ["mta_sts_other_mx"]],
    ["without record", evidence({ record: ok() }), ["mta_sts_no_record"]],
    ["with two records", evidence({ record: ok("v=STSv1; id=1", "v=STSv1; id=2") }), ["mta_sts_invalid"]],
    ["and no record and no policy", evidence({ record: ok(), status: 404 }), []],
    ["of the service that is enforced", evidence({ hosted: { record: "v=STSv1; id=20261101" } }), []],
    ["of the service whose record it publishes", evidence({ hosted: { record: null } }), []],
    ["of the service with the id of before", evidence({ hosted: { record: "v=STSv1; id=2" } }), ["mta_sts_old_id"]],
  ])("%s", (_, of, codes) => {
    expect(codesOf(checkMtaSts(of))).toEqual(codes);
  });

  it.each([
    ["enforce", "other mail systems refuse to deliver there", "back to testing"],
    ["testing", "does not name old.example", "Delete the MX records of old.example."],
  ])("of the service that does not name an MX record says what to do in mode %s", (mode, problem, action) => {
    const text = right.replace("enforce", mode);
    const mx = ok("10 mx.mail.test", "20 old.example");
    expect(checkMtaSts(evidence({ text, mx, hosted: { record: null } })).findings).toMatchObject([
      {
        code: "mta_sts_other_mx",
        problem: expect.stringContaining(problem),
        action: expect.stringContaining(action),
      },
    ]);
  });

  it("whose host does not respond proves nothing", () => {
    const silent = evidence();
    const dns = silent.dns && { ...silent.dns, mtaSts: { ...silent.dns.mtaSts, policy: null } };
    expect(checkMtaSts({ ...silent, dns })).toEqual({ findings: [], unknown: ["*"] });
  });
});
