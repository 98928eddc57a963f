import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseDmarcReport } from "../../../../src/mail/aggregate-reports/parse-dmarc.ts";
import { parseTlsReport } from "../../../../src/mail/aggregate-reports/parse-tls.ts";
import { readAggregateReport } from "../../../../src/mail/aggregate-reports/read.ts";
import { bounds as reportBounds } from "../../../../src/mail/aggregate-reports/rules.ts";
import { ReportError } from "../../../../src/mail/aggregate-reports/types.ts";
import { EXAMPLE_NET, GOOGLE_TLS, MAIL_RU, OUTLOOK, RFC8460 } from "../../../mail/aggregate-reports/samples.ts";
import { withUnused } from "../../../mail/hostile-inputs.ts";

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

/** Returns a message with these files as its parts. */
function messageWithAll(files: readonly Uint8Array[]): Uint8Array {
  const parts = files.map((file) => `--b\r\n${Buffer.from(messageWith(file)).toString()}`).join("\r\n");
  return Buffer.from(`MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts}\r\n--b--\r\n`);
}

/** Returns a ZIP archive with one file (APPNOTE 4.3). */
function zipOf(content: Uint8Array): Buffer {
  const data = deflateRawSync(content);
  const name = Buffer.from("report.xml");
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, name, data]);
  const central = Buffer.concat([Buffer.from("PK\x01\x02\x14\0", "latin1"), common, Buffer.alloc(14), name]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
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
  ["that ends before it begins", EXAMPLE_NET.replace("<end>1700086399<", "<end>1699999999<")],
  ["of a year", EXAMPLE_NET.replace("<end>1700086399<", "<end>1731622399<")],
  ["nested deeper than 20 levels", EXAMPLE_NET.replace("<row>", `${"<a>".repeat(30)}${"</a>".repeat(30)}<row>`)],
  ["with a name of an element of 101 characters", EXAMPLE_NET.replace("<row>", `<${"a".repeat(101)}/><row>`)],
  ["with an element that is closed only at its end", EXAMPLE_NET.replace("<row>", "<row><a>")],
  ["that ends with an element of its own", EXAMPLE_NET.replace(/<record>.*$/s, "<record/>")],
  ["with more than a million elements", EXAMPLE_NET.replace("<row>", `${"<a/>".repeat(reportBounds.elements)}<row>`)],
  ["with more than 10,000 records", withRecords(RECORD.repeat(reportBounds.records + 1))],
];

/** Returns a gzip file with a name in its header (RFC 1952 2.3). */
function named(file: Buffer): Buffer {
  const name = Buffer.from("report.xml\0");
  const head = Buffer.from(file.subarray(0, 10));
  head[3] = 8;
  return Buffer.concat([head, name, file.subarray(10)]);
}

/** Changes of its first record after which that alone does not count. */
const SKIPPED: readonly (readonly [string, string])[] = [
  ["with a negative count", EXAMPLE_NET.replace("<count>5<", "<count>-5<")],
  ["with a broken count", EXAMPLE_NET.replace("<count>5<", "<count>5e99<")],
  ["with a count of words", EXAMPLE_NET.replace("<count>5<", "<count>five<")],
  ["without a count", EXAMPLE_NET.replace("<count>5</count>", "")],
  ["with a source that is no address", EXAMPLE_NET.replace("198.51.100.1<", "198.51.100<")],
  ["without a source", EXAMPLE_NET.replace("<source_ip>198.51.100.1</source_ip>", "")],
];

describe("a DMARC report", () => {
  for (const [name, xml] of SKIPPED)
    it(`without its record ${name} counts`, () => {
      const whole = parseDmarcReport(EXAMPLE_NET);
      expect(parseDmarcReport(xml)).toEqual({ ...whole, records: whole.records.slice(1), skipped: 1 });
    });

  it("without an organisation counts", () => {
    const xml = EXAMPLE_NET.replace("<org_name>example.net</org_name>", "");
    expect(parseDmarcReport(xml)).toEqual({ ...parseDmarcReport(EXAMPLE_NET), organization: "" });
  });

  for (const [name, xml] of REFUSED)
    it(`${name} is refused`, () => {
      expect(xml).not.toBe(EXAMPLE_NET);
      expect(() => parseDmarcReport(xml)).toThrow(ReportError);
    });

  it("of 10,000 records is read", () => {
    expect(parseDmarcReport(withRecords(RECORD.repeat(reportBounds.records))).records).toHaveLength(10_000);
  });

  it("is read with empty elements, and as many as the bounds permit", () => {
    const report = parseDmarcReport(EXAMPLE_NET);
    expect(parseDmarcReport(EXAMPLE_NET.replace("<row>", '<comment/><a b="c" /><row>'))).toEqual(report);
    const many = EXAMPLE_NET.replace("<row>", `${"<a/>".repeat(reportBounds.elements - 200)}<row>`);
    expect(parseDmarcReport(many)).toEqual(report);
    const long = EXAMPLE_NET.replace("<row>", `<${"a".repeat(reportBounds.nameCharacters)}/><row>`);
    expect(parseDmarcReport(long)).toEqual(report);
  });

  it("expands no entities of a document type", () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join("");
    const xml = OUTLOOK.replace("<feedback", `<!DOCTYPE lolz [<!ENTITY l0 "lol">${laughs}]><feedback`);
    const report = parseDmarcReport(xml.replace("Outlook.com", "&l9; &amp; &#65;"));
    expect(report.organization).toBe("&l9; & A");
  });

  it("keeps nothing of elements and attributes that it does not use", () => {
    const padded = withUnused(EXAMPLE_NET, 400_000);
    expect(parseDmarcReport(padded)).toEqual(parseDmarcReport(EXAMPLE_NET));
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

  it("skips policies that cannot be true, and failures whose number cannot be", () => {
    const whole = parseTlsReport(RFC8460);
    const good =
      '{"policy":{"policy-type":"sts"},"summary":{"total-successful-session-count":7,"total-failure-session-count":0}}';
    const json = RFC8460.replace("5326", "-1").replace(/"policies":\s*\[/, `$&${good},null,`);
    const policies = [{ domain: "", type: "sts", sessions: 7, failures: [] }];
    expect(parseTlsReport(json)).toEqual({ ...whole, policies, skipped: 2 });
    const [policy] = parseTlsReport(
      RFC8460.replace('"failed-session-count":100', '"failed-session-count":-1'),
    ).policies;
    expect(policy?.sessions).toBe(5_629);
    expect(policy?.failures).toContainEqual({ type: "unknown", server: "", sessions: 100 });
  });

  for (const [name, json] of [
    ["that is cut off", RFC8460.slice(0, -10)],
    ["without policies", "{}"],
    ["with a broken time", RFC8460.replace("2016-04-01T00", "yesterday")],
    ["of null", "null"],
    ["of very many values", `{"policies":[${"[],".repeat(reportBounds.jsonMarks)}[]]}`],
    ["nested a million times", `${"[".repeat(400_000)}${"]".repeat(400_000)}`],
    [
      "with more than 100 policies",
      RFC8460.replace(/"policies":\s*\[(.*)\]\s*\}\s*$/s, (_, policy) => `"policies":[${Array(101).fill(policy)}]}`),
    ],
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

  it.each([
    ["UTF-16 with a mark, the small byte first", Buffer.from(`\ufeff${EXAMPLE_NET}`, "utf16le")],
    ["UTF-16 with a mark, the large byte first", Buffer.from(`\ufeff${EXAMPLE_NET}`, "utf16le").swap16()],
    ["UTF-16 without a mark", Buffer.from(EXAMPLE_NET, "utf16le")],
    ["UTF-8 with a mark", Buffer.from(`\ufeff${EXAMPLE_NET}`)],
    ["gzip with zeros behind it", Buffer.concat([gzipSync(EXAMPLE_NET), Buffer.alloc(512)])],
    ["gzip with a line end behind it", Buffer.concat([gzipSync(EXAMPLE_NET), Buffer.from("\r\n")])],
    ["gzip with a name, and other bytes behind it", Buffer.concat([named(gzipSync(EXAMPLE_NET)), Buffer.from("end")])],
    ["gzip with other bytes behind it", Buffer.concat([gzipSync(EXAMPLE_NET), Buffer.from("-- end of file --")])],
  ])("is read in %s", async (_, file) => {
    expect(await readAggregateReport(messageWith(file))).toEqual(parseDmarcReport(EXAMPLE_NET));
  });

  it("is refused when it decompresses to more than 20 MB", async () => {
    const bomb = gzipSync(Buffer.alloc(reportBounds.reportBytes + 1, "<"));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(readAggregateReport(messageWith(bomb))).rejects.toThrow(ReportError);
  });

  it("is refused when two files decompress to more than 20 MB together", async () => {
    const half = gzipSync(Buffer.alloc(reportBounds.reportBytes / 2, " "));
    const last = gzipSync(Buffer.concat([Buffer.alloc(1, " "), Buffer.from(EXAMPLE_NET)]));
    expect(await readAggregateReport(messageWithAll([half, last]))).toMatchObject({ kind: "dmarc" });
    await expect(readAggregateReport(messageWithAll([half, half, last]))).rejects.toThrow(ReportError);
  });

  it("is refused when a gzip file of many members, or a file in a zip archive, is a bomb", async () => {
    const member = gzipSync(Buffer.alloc(1_000_000, "<"));
    const members = Buffer.concat(Array.from({ length: 21 }, () => member));
    await expect(readAggregateReport(messageWith(members))).rejects.toThrow(ReportError);
    const zip = zipOf(Buffer.alloc(reportBounds.reportBytes + 1, "<"));
    expect(zip.length).toBeLessThan(100_000);
    await expect(readAggregateReport(messageWith(zip))).rejects.toThrow(ReportError);
    expect(await readAggregateReport(messageWith(zipOf(Buffer.from(EXAMPLE_NET))))).toMatchObject({ kind: "dmarc" });
  });

  it("is refused when its file is an archive in another one", async () => {
    const inner = zipOf(Buffer.from(EXAMPLE_NET));
    for (const file of [zipOf(inner), gzipSync(inner), gzipSync(gzipSync(Buffer.from(EXAMPLE_NET)))])
      await expect(readAggregateReport(messageWith(file))).rejects.toThrow(ReportError);
  });

  it("is refused when its archive has more than five files, or lies about its files", async () => {
    const zip = zipOf(Buffer.from(EXAMPLE_NET));
    const end = zip.length - 22;
    const changed = (write: (copy: Buffer) => void) => {
      const copy = Buffer.from(zip);
      write(copy);
      return messageWith(copy);
    };
    const lies = [
      changed((copy) => copy.writeUInt16LE(6, end + 10)),
      changed((copy) => copy.writeUInt32LE(0xfffffff0, end + 16)),
      changed((copy) => copy.writeUInt32LE(0x7fffffff, copy.readUInt32LE(end + 16) + 20)),
      changed((copy) => copy.writeUInt32LE(1, copy.readUInt32LE(end + 16) + 16)),
      messageWith(zip.subarray(0, end)),
    ];
    for (const message of lies) await expect(readAggregateReport(message)).rejects.toThrow(ReportError);
  });

  it.each([
    ["a page", "<html>Hello</html>"],
    ["a broken archive", "PK\x03\x04 no archive"],
    ["a broken gzip file", "\x1f\x8b no gzip"],
    ["other JSON", "{}"],
  ])("is read behind %s", async (_, other) => {
    const message = messageWithAll([Buffer.from(other, "latin1"), gzipSync(EXAMPLE_NET)]);
    expect(await readAggregateReport(message)).toMatchObject({ kind: "dmarc", skipped: 0 });
  });

  it("is refused without a file", async () => {
    await expect(readAggregateReport(Buffer.from("Subject: Hello\r\n\r\n<feedback/>"))).rejects.toThrow(ReportError);
    await expect(readAggregateReport(new Uint8Array())).rejects.toThrow(ReportError);
  });
});
