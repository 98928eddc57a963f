import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  parseDmarcReport,
  parseTlsReport,
  ReportError,
  readAggregateReport,
  reportBounds,
} from "../../../src/mail/aggregate-reports/index.ts";
import { EXAMPLE_NET, GOOGLE_TLS, MAIL_RU, OUTLOOK, RFC8460 } from "./samples.ts";

/** Returns a message whose only part is this file. */
function messageWith(file: Uint8Array): Uint8Array {
  const lines =
    Buffer.from(file)
      .toString("base64")
      .match(/.{1,76}/g) ?? [];
  const head =
    "MIME-Version: 1.0\r\nContent-Type: application/gzip; name=r.gz\r\nContent-Transfer-Encoding: base64\r\n\r\n";
  return Buffer.from(`${head}${lines.join("\r\n")}\r\n`);
}

const RECORD = /<record>.*?<\/record>/s.exec(OUTLOOK)?.[0] ?? "";
const withRecords = (records: string) => OUTLOOK.replace(RECORD, records);

/** Changes of a good report after which nothing of it counts. */
const REFUSED: readonly (readonly [string, string])[] = [
  ["without its end", EXAMPLE_NET.slice(0, -20)],
  ["with an element that is not closed", EXAMPLE_NET.replace("</row>", "")],
  ["with two roots", `${EXAMPLE_NET}${EXAMPLE_NET.replace(/^.*?\n/, "")}`],
  ["of another kind", "<html><body>Hello</body></html>"],
  ["without a domain", EXAMPLE_NET.replace("<domain>example.com</domain><adkim>", "<adkim>")],
  ["without an id", EXAMPLE_NET.replace("dmarcbis-test-report-001", " ")],
  ["without an organisation", EXAMPLE_NET.replace("<org_name>example.net</org_name>", "")],
  ["with a negative count", EXAMPLE_NET.replace("<count>5<", "<count>-5<")],
  ["with a broken count", EXAMPLE_NET.replace("<count>5<", "<count>5e99<")],
  ["with a count of words", EXAMPLE_NET.replace("<count>5<", "<count>five<")],
  ["with a source that is no address", EXAMPLE_NET.replace("198.51.100.1<", "198.51.100<")],
  ["that ends before it begins", EXAMPLE_NET.replace("<end>1700086399<", "<end>1699999999<")],
  ["of a year", EXAMPLE_NET.replace("<end>1700086399<", "<end>1731622399<")],
  ["nested deeper than 20 levels", EXAMPLE_NET.replace("<row>", `${"<a>".repeat(30)}${"</a>".repeat(30)}<row>`)],
  ["with more than 10,000 records", withRecords(RECORD.repeat(reportBounds.records + 1))],
];

describe("a DMARC report", () => {
  for (const [name, xml] of REFUSED)
    it(`${name} is refused`, () => {
      expect(xml).not.toBe(EXAMPLE_NET);
      expect(() => parseDmarcReport(xml)).toThrow(ReportError);
    });

  it("of 10,000 records is read", () => {
    expect(parseDmarcReport(withRecords(RECORD.repeat(reportBounds.records))).records).toHaveLength(10_000);
  });

  it("expands no entities of a document type", () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join("");
    const xml = OUTLOOK.replace("<feedback", `<!DOCTYPE lolz [<!ENTITY l0 "lol">${laughs}]><feedback`);
    const report = parseDmarcReport(xml.replace("Outlook.com", "&l9; &amp; &#65;"));
    expect(report.organization).toBe("&l9; & A");
  });

  it("keeps a thousand characters of a value", () => {
    const report = parseDmarcReport(OUTLOOK.replace("Outlook.com", "x".repeat(1_000_000)));
    expect(report.organization).toHaveLength(reportBounds.valueCharacters);
  });

  it("tells what was aligned, in small letters or capitals, and the domain of From", () => {
    const [first, second] = parseDmarcReport(EXAMPLE_NET.replace(">pass<", ">PASS<")).records;
    expect(first).toEqual({
      ...{ source: "198.51.100.1", messages: 5, headerFrom: "example.com" },
      ...{ dkim: true, spf: true, disposition: "none" },
    });
    expect(second).toMatchObject({ dkim: false, spf: false, disposition: "reject", messages: 2 });
  });
});

describe("a TLS report", () => {
  it("counts each failure by its type and server, and no more than the total", () => {
    const [policy] = parseTlsReport(RFC8460).policies;
    expect(policy).toMatchObject({ domain: "company-y.example", type: "sts", sessions: 5_629 });
    expect(policy?.failures[1]).toEqual({
      ...{ type: "starttls-not-supported", server: "mx2.mail.company-y.example", sessions: 200 },
    });
    expect(parseTlsReport(MAIL_RU).policies[0]?.failures).toEqual([
      { type: "sts-policy-fetch-error", server: "", sessions: 1 },
    ]);
  });

  for (const [name, json] of [
    ["that is cut off", RFC8460.slice(0, -10)],
    ["without policies", "{}"],
    ["with a negative count", RFC8460.replace("5326", "-1")],
    ["with a broken time", RFC8460.replace("2016-04-01T00", "yesterday")],
    ["of null", "null"],
  ] as const)
    it(`${name} is refused`, () => {
      expect(() => parseTlsReport(json)).toThrow(ReportError);
    });
});

describe("a message with a report", () => {
  it("is read with LF and with CRLF", async () => {
    const lf = await readAggregateReport(Buffer.from(GOOGLE_TLS));
    expect(await readAggregateReport(Buffer.from(GOOGLE_TLS.replaceAll("\n", "\r\n")))).toEqual(lf);
    expect(lf).toMatchObject({ kind: "tls", organization: "Google Inc." });
  });

  it("is refused when it decompresses to more than 20 MB", async () => {
    const bomb = gzipSync(Buffer.alloc(reportBounds.reportBytes + 1, "<"));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(readAggregateReport(messageWith(bomb))).rejects.toThrow(ReportError);
  });

  it("is refused without a file", async () => {
    await expect(readAggregateReport(Buffer.from("Subject: Hello\r\n\r\n<feedback/>"))).rejects.toThrow(ReportError);
    await expect(readAggregateReport(new Uint8Array())).rejects.toThrow(ReportError);
  });
});
