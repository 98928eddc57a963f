/** DMARC and TLS reports: those of providers and random ones, against an independent reader, and corrupted ones. */
import { crc32, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ZipWriter } from "../../src/lib/zip/writer.ts";
import { readAggregateReport } from "../../src/mail/aggregate-reports/read.ts";
import { type AggregateReport, ReportError } from "../../src/mail/aggregate-reports/types.ts";
import { byExtent } from "../host/support/extent.ts";
import { pythonUnavailable, runPython } from "../host/support/python.ts";
import * as samples from "../mail/aggregate-reports/samples.ts";
import { seeded } from "../support/failures.ts";

const seed = Number(process.env.REPORT_SEED ?? Math.floor(Math.random() * 1e9));
const CORRUPTED = byExtent({ quick: 1_000, full: 1_000, long: 20_000 });

type Packing = "plain" | "gzip" | "zip";

/** Returns a message with a report as its only part, or beside a text. */
function messageWith(report: string, packing: Packing, isAlone = false): Buffer {
  const name = report.startsWith("<") ? "a!b!1!2.xml" : "a!b!1!2.json";
  const packed = { plain: () => Buffer.from(report), gzip: () => gzipSync(report), zip: () => zip(name, report) }[
    packing
  ]();
  const file = `Content-Type: application/octet-stream; name="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(packed)}\r\n`;
  const head = "From: reports@reporter.test\r\nTo: rua@example.com\r\nMIME-Version: 1.0\r\n";
  if (isAlone) return Buffer.from(`${head}${file}`);
  const text = "--x\r\nContent-Type: text/plain\r\n\r\nA report is attached.\r\n";
  return Buffer.from(`${head}Content-Type: multipart/mixed; boundary=x\r\n\r\n${text}--x\r\n${file}--x--\r\n`);
}

const base64 = (bytes: Buffer) => (bytes.toString("base64").match(/.{1,76}/g) ?? []).join("\r\n");

function zip(name: string, text: string): Buffer {
  const bytes = Buffer.from(text);
  const writer = new ZipWriter();
  const entry = { name, size: bytes.length, crc: crc32(bytes), modifiedAt: Date.UTC(2026, 0, 1) };
  return Buffer.concat([writer.header(entry), bytes, ...writer.end()]);
}

/** Returns a report in the form in which read_reports.py prints it. */
function toRow(report: AggregateReport): unknown[] {
  const rows: Record<string, unknown> = {};
  if (report.kind === "dmarc")
    for (const { source, dkim, spf, messages } of report.records) {
      const key = `${source} ${dkim ? "dkim" : "-"} ${spf ? "spf" : "-"}`;
      rows[key] = ((rows[key] as number | undefined) ?? 0) + messages;
    }
  else
    for (const { domain, sessions, failures } of report.policies) {
      const [good, bad] = (rows[domain] as [number, number] | undefined) ?? [0, 0];
      const failed = failures.reduce((sum, failure) => sum + failure.sessions, 0);
      rows[domain] = [good + sessions - failed, bad + failed];
    }
  return [report.kind, report.organization, report.reportId, report.from, report.to, rows];
}

const texts = [samples.RFC9990, samples.OUTLOOK, samples.ZOHO, samples.EXAMPLE_NET, samples.RFC8460, samples.MAIL_RU];
const packings = ["plain", "gzip", "zip"] as const;
const provided = [
  Buffer.from(samples.GOOGLE_ZIP),
  Buffer.from(samples.GOOGLE_TLS),
  ...texts.flatMap((text) => packings.map((packing, n) => messageWith(text, packing, n === 1))),
];

/** Returns a random report of up to 40 records. */
function randomReport(random: () => number): string {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const word = () => pick(["pass", "fail"]);
  const records = Array.from({ length: Math.ceil(random() * 40) }, () => {
    const ip = random() < 0.5 ? `192.0.2.${Math.floor(random() * 9)}` : `2001:db8::${1 + Math.floor(random() * 9)}`;
    const policy = `<disposition>${pick(["none", "quarantine", "reject"])}</disposition><dkim>${word()}</dkim><spf>${word()}</spf>`;
    const row = `<row><source_ip>${ip}</source_ip><count>${Math.ceil(random() * 1e4)}</count><policy_evaluated>${policy}</policy_evaluated></row>`;
    return `<record>${row}<identifiers><header_from>example.com</header_from></identifiers></record>`;
  });
  const begin = 1_700_000_000 + Math.floor(random() * 1e6);
  const range = `<date_range><begin>${begin}</begin><end>${begin + 86_399}</end></date_range>`;
  const metadata = `<report_metadata><org_name>A &amp; B &lt;${word()}&gt;</org_name><report_id>${random()}</report_id>${range}</report_metadata>`;
  return `<feedback>${metadata}<policy_published><domain>example.com</domain></policy_published>${records.join("\n")}</feedback>`;
}

describe("aggregate reports", () => {
  it.skipIf(pythonUnavailable())(
    "have the numbers that an independent reader finds, in plain files, gzip and zip",
    async () => {
      const random = seeded(seed);
      const made = Array.from({ length: 60 }, (_, n) => messageWith(randomReport(random), packings[n % 3] ?? "plain"));
      const messages = [...provided, ...made];
      const expected = await runPython("read_reports.py", messages, messages.length);
      const read = await Promise.all(messages.map(readAggregateReport));
      expect(read.map(toRow), `seed ${seed}`).toEqual(expected);
      const counts = read.flatMap((report) =>
        report.kind === "dmarc" ? report.records.map(({ messages: n }) => n) : [],
      );
      expect(counts.length).toBeGreaterThan(500);
    },
  );

  it("that were corrupted are refused, or read as they were", async () => {
    const random = seeded(seed + 1);
    const whole = await Promise.all(provided.map(readAggregateReport));
    let refused = 0;
    for (let n = 0; n < CORRUPTED; n++) {
      const index = n % provided.length;
      const message = Buffer.from(provided[index] ?? "");
      const head = message.indexOf("base64") + 6;
      const at = head + Math.floor(random() * (message.length - head));
      // A report without a checksum can only be cut off: another digit makes another valid report.
      const isAltered = /H4sI|UEsD/.test(message.toString("latin1")) && random() < 0.7;
      if (isAltered) message[at] = Math.floor(random() * 256);
      try {
        const report = await readAggregateReport(isAltered ? message : message.subarray(0, at));
        expect(report, `seed ${seed}, ${n}`).toEqual(whole[index]);
      } catch (error) {
        expect(error, `seed ${seed}, ${n}`).toBeInstanceOf(ReportError);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(CORRUPTED / 2);
  });
});
