import { describe, expect, it } from "vitest";
import { readMbox } from "../../../src/lib/mbox/read.ts";
import { parseDmarcReport } from "../../../src/mail/aggregate-reports/parse-dmarc.ts";
import { readReceiverResults } from "../../../src/mail/authentication-results/receiver-results.ts";
import { readDate } from "../../../src/mail/dates/read-date.ts";
import { isAutomatic } from "../../../src/mail/reports/automatic-mail.ts";
import { classifyFailure } from "../../../src/mail/reports/classify.ts";
import { parseFeedback } from "../../../src/mail/reports/parse.ts";
import { readFields } from "../../../src/mail/texts/fields.ts";
import { sanitize } from "../../../src/mailboxes/inbox/sanitize.ts";
import { SendIn } from "../../../src/sending/emails/schema.ts";
import { EXAMPLE_NET } from "../../mail/aggregate-reports/samples.ts";
import {
  HOSTILE_DATES,
  HOSTILE_FAILURES,
  HOSTILE_HTML,
  HOSTILE_MBOX,
  HOSTILE_RESULTS,
  withUnused,
} from "../../mail/hostile-inputs.ts";
import { LARGE_REPORTS, REPORT_BOMBS } from "../../mail/reports/bomb-reports.ts";

/** Returns the milliseconds of CPU time of work. */
async function millisecondsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function* inChunks(text: string) {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 1_000_000) yield bytes.subarray(at, at + 1_000_000);
}

const readAll = async (text: string) => {
  for await (const { raw } of readMbox(inChunks(`From a\n${text}`), 25_000_000)) expect(raw).not.toBeNull();
};

const RECEIVED = "Received: from a.test (203.0.113.7)\r\n by cloudflare-email.net (cloudflare) id 7A\r\n";
const long = "a=".repeat(50_000);
// NFKC makes it 18 times as long, and it has no address.
const name = `${"\ufdfa".repeat(105)} @`;
const address = { email: "a@example.org", name };
const head = new TextEncoder().encode(`Precedence: ${long}\r\nAuto-Submitted: no\r\n\r\n`);
const automatic = {
  from: `${long}@example.org`,
  fields: readFields(head, 0, head.length).fields,
  subject: "auto ".repeat(20_000),
};

/** Each work by its name, with the most milliseconds that it may take. */
const WORKS: [name: string, most: number, work: () => unknown][] = [
  ...REPORT_BOMBS.map(([what, mail]): (typeof WORKS)[number] => {
    const raw = new TextEncoder().encode(mail());
    return [`a report: ${what}`, 1_000, () => parseFeedback(raw)];
  }),
  ...LARGE_REPORTS.map(([what, make]): (typeof WORKS)[number] => {
    const raw = make();
    return [`a report: ${what}`, 1_000, () => parseFeedback(raw)];
  }),
  ...HOSTILE_FAILURES.map((text): (typeof WORKS)[number] => [
    `a failure: ${text.slice(0, 10)}`,
    200,
    () => classifyFailure({ status: null, text, phase: null }),
  ]),
  ["the signs of an automatic reply", 500, () => isAutomatic(automatic)],
  ...HOSTILE_DATES.map((date): (typeof WORKS)[number] => [`a date: ${date.slice(0, 24)}`, 200, () => readDate(date)]),
  ["an aggregate report", 5_000, () => parseDmarcReport(withUnused(EXAMPLE_NET, 400_000))],
  ...HOSTILE_RESULTS.map((value): (typeof WORKS)[number] => [
    `results of a receiver: ${value.slice(30, 40)}`,
    1_000,
    () => readReceiverResults(`${RECEIVED}Authentication-Results: ${value}\r\n\r\n`, "mx.cloudflare.net"),
  ]),
  ...HOSTILE_MBOX.map((text): (typeof WORKS)[number] => [`an mbox: ${text.slice(0, 4)}`, 3_000, () => readAll(text)]),
  ...HOSTILE_HTML.map((html): (typeof WORKS)[number] => [
    `HTML: ${html.slice(0, 12)}`,
    2_000,
    () => sanitize(html, false),
  ]),
  [
    "the names of 450 emails",
    20_000,
    () => {
      const email = { from_: address, reply_to: address, to: [{ email: "b@example.org" }], subject: "a", text: "a" };
      for (let n = 0; n < 450; n++) SendIn.parse(email);
    },
  ],
];

describe("a hostile input is parsed in its time", () => {
  it.each(WORKS)("%j, %d ms", async (_, most, work) => {
    expect(await millisecondsOf(work)).toBeLessThan(most);
  });
});
