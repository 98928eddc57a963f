import { describe, expect, it } from "vitest";
import { evaluateRecord } from "../../../../src/domains/domains/evaluate-record.ts";
import type { ExpectedRecord } from "../../../../src/domains/domains/expected-record.ts";
import { ancestors, reversedName } from "../../../../src/domains/domains/rules.ts";

const expected: Record<ExpectedRecord["purpose"], string> = {
  ownership: "svc-domain-verification=abc",
  dkim: "v=DKIM1; k=rsa; p=AAAA",
  spf: "v=spf1 include:spf.mail.test ~all",
  return_path: "bounces.mail.test",
  dmarc: "v=DMARC1; p=none",
  mx: "mx.mail.test",
  mta_sts: "hosts.mail.test",
  mta_sts_id: "v=STSv1; id=00c0ffee",
  tls_reports: "v=TLSRPTv1; rua=mailto:reports@bounces.mail.test",
  link_host: "hosts.mail.test",
  mail_programs: "1 993 imap.mail.test",
};

function evaluate(purpose: ExpectedRecord["purpose"], values: string[]) {
  const record: ExpectedRecord = {
    key: purpose,
    purpose,
    type: "TXT",
    name: "x.example",
    value: expected[purpose],
    priority: null,
    required: true,
  };
  return evaluateRecord(record, { status: "ok", values });
}

describe("evaluateRecord compares a record with the DNS response", () => {
  const table: [ExpectedRecord["purpose"], string[], ReturnType<typeof evaluate>][] = [
    ["ownership", [], "missing"],
    ["mail_programs", [], "missing"],
    ["mail_programs", ["0 1 993 imap.mail.test"], "verified"],
    ["mail_programs", ["10 0 993 imap.mail.test", "20 0 993 other.test"], "verified"],
    ["mail_programs", ["0 1 143 imap.mail.test"], "mismatch"],
    ["mail_programs", ["0 0 0 ."], "mismatch"],
    ["ownership", ["svc-domain-verification=abc"], "verified"],
    ["ownership", ["svc-domain-verification=abd", "svc-domain-verification=abc"], "verified"],
    ["ownership", ["svc-domain-verification=ABC"], "mismatch"],
    ["ownership", ["svc-domain-verification=abcd"], "mismatch"],
    ["dkim", ["v=DKIM1; k=rsa; p=AAAA"], "verified"],
    ["dkim", ["p=AA AA ;k=rsa"], "verified"],
    ["dkim", ["v=DKIM1;\u00a0k=rsa; p=AAAA"], "mismatch"],
    ["dkim", ["v=DKIM1; k=rsa; p=AA\u00a0AA"], "mismatch"],
    ["dkim", ["s1._domainkey.x.example TXT v=DKIM1; k=rsa; p=AAAA"], "mismatch"],
    ["dkim", ["v=DKIM1; n=f\u00fcr uns; k=rsa; p=AAAA"], "verified"],
    ["dkim", ["p=AAAA"], "verified"],
    ["dkim", ["v=DKIM1; k=ed25519; p=AAAA"], "mismatch"],
    ["dkim", ["v=DKIM1; k=rsa; p="], "mismatch"],
    ["dkim", ["v=DKIM1; k=rsa; p=AAAA", "v=DKIM1; k=rsa; p=BBBB"], "mismatch"],
    ["dkim", ["v=DKIM1; k=rsa; p=BBBB; p=AAAA"], "mismatch"],
    ["dkim", ["k=rsa; p=AAAA; v=DKIM1"], "mismatch"],
    ["dkim", ["v=DKIM1; k=rsa; h=sha1; p=AAAA"], "mismatch"],
    ["dkim", ["v=DKIM1; k=rsa; s=tlsrpt; p=AAAA"], "mismatch"],
    ["dkim", [" v=DKIM1 ; h=sha1:sha256; s=tlsrpt:email; t=s; n=a note; k=rsa; p=AAAA;; "], "verified"],
    ["dkim", ["v=DKIM1; s=*; k=rsa; p=AAAA"], "verified"],
    ["spf", ["something else"], "missing"],
    ["spf", ["google-site-verification=1", "v=spf1 a +include:SPF.mail.test -all"], "verified"],
    ["spf", ["v=spf1 -all"], "mismatch"],
    ["spf", ["v=spf10 include:spf.mail.test"], "missing"],
    ["spf", ["v=spf1 include:spf.mail.test -all", "v=spf1 -all"], "mismatch"],
    ["dmarc", ["v=DMARC1; p=reject; rua=mailto:a@b.example"], "verified"],
    ["dmarc", ["v=DMARC1; p=maybe"], "mismatch"],
    ["dmarc", ["v=DMARC1; p=none", "v=DMARC1; p=none"], "mismatch"],
    ["return_path", ["bounces.mail.test"], "verified"],
    ["return_path", ["elsewhere.test"], "mismatch"],
    ["mx", ["20 mx.mail.test", "10 other.test"], "verified"],
    ["mx", ["10 other.test"], "mismatch"],
  ];
  for (const [purpose, values, status] of table) {
    it(`${purpose} with ${JSON.stringify(values)} is ${status}`, () => {
      expect(evaluate(purpose, values)).toBe(status);
    });
  }

  it("a temperror of DNS is a temperror of the record", () => {
    const record = { ...({} as ExpectedRecord), purpose: "spf" as const, value: "" };
    expect(evaluateRecord(record, { status: "temperror", reason: "SERVFAIL" })).toBe("temperror");
  });
});

describe("reversed names", () => {
  it("a parent's reversed name is a prefix of those below it", () => {
    expect(reversedName("mail.example.com")).toBe("com.example.mail.");
    expect(ancestors("com.example.mail.")).toEqual(["com.", "com.example.", "com.example.mail."]);
  });

  it("a name with the same first characters is not below", () => {
    expect(reversedName("examples.com") < reversedName("example.com").replace(/\.$/, "/")).toBe(false);
    expect(reversedName("a-b.com") >= reversedName("a.com") && reversedName("a-b.com") < "com.a/").toBe(false);
  });
});
