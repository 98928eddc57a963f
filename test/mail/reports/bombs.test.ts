import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFeedback } from "../../../src/mail/reports/index.ts";
import { splitMessage } from "../../../src/mail/reports/message.ts";
import { toReportOutcome } from "../../../src/sending/feedback/to-outcome.ts";
import { COMPLAINTS } from "./samples-complaints.ts";
import { OTHER_BOUNCES } from "./samples-other-bounces.ts";
import { OTHERS } from "./samples-others.ts";
import { REPORTS } from "./samples-reports.ts";
import { UNIX_BOUNCES } from "./samples-unix-bounces.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const MAILS = [...REPORTS, ...UNIX_BOUNCES, ...OTHER_BOUNCES, ...OTHERS, ...COMPLAINTS].map(({ mail }) => mail);

/** Parses a message and converts the result to outcomes. */
function digest(raw: Uint8Array): string {
  const read = parseFeedback(raw);
  if (read.kind === "dsn" || read.kind === "bounce")
    for (const recipient of read.recipients) toReportOutcome(recipient);
  return read.kind;
}

describe("the parser never throws", () => {
  it("when a sample is cut off after every seventh byte", () => {
    for (const mail of MAILS) {
      const raw = bytes(mail);
      for (let end = 0; end < raw.length; end += 7) digest(raw.subarray(0, end));
    }
  });

  it("when every seventh byte is changed, dropped or duplicated", () => {
    for (const mail of MAILS) {
      const raw = bytes(mail);
      for (let at = 0; at < raw.length; at += 7) {
        const changed = raw.slice();
        changed[at] = [0, 0x0a, 0x0d, 0x22, 0x3d, 0xff, 0x2d][(at / 7) % 7] ?? 0;
        digest(changed);
        if (at % 49 > 0) continue;
        digest(bytes(mail.slice(0, at) + mail.slice(at + 1)));
        digest(bytes(mail.slice(0, at) + mail.slice(at).repeat(2)));
      }
    }
  });

  it("on random combinations of fragments", () => {
    const pieces = fc.constantFrom(
      ...MAILS.flatMap((mail) => mail.split(/(?<=\n)/)),
      "\r",
      "\n",
      "\r\n",
      "--",
      "\0",
      "=?",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (some) => void digest(bytes(some.join("")))),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (raw) => void digest(raw)),
      { numRuns: 500 },
    );
  });

  it("and combined samples parse the same with LF, CR and CRLF", () => {
    const pieces = fc.constantFrom(...MAILS.flatMap((mail) => mail.split("\n")), "", "--=_b1", "--=_b1--", " ");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), fc.constantFrom(...MAILS), (some, mail) => {
        const text = some.length % 2 === 0 ? some.join("\n") : `${mail}\n${some.join("\n")}`;
        const [lf, cr, crlf] = ["\n", "\r", "\r\n"].map((end) => parseFeedback(bytes(text.replaceAll("\n", end))));
        expect(cr).toEqual(lf);
        expect(crlf).toEqual(lf);
      }),
      { numRuns: 300 },
    );
  });
});

const MEBI = 1024 * 1024;
const DAEMON = "From: MAILER-DAEMON@y.test\nSubject: failure notice\n";
const MIXED = `${DAEMON}Content-Type: multipart/mixed; boundary=b\n\n`;
const REPORT = `${DAEMON}Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n`;
const times = (text: string, count: number) => text.repeat(count);
const full = (head: string, unit: string) => head + unit.repeat(Math.ceil((2 * MEBI) / unit.length));
const nested = (depth: number) =>
  DAEMON +
  Array.from({ length: depth }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`).join("") +
  "\nyour message could not be delivered\n";
const enclosed = (depth: number) => DAEMON + times("Content-Type: message/rfc822\n\n", depth);
const STATUS = "--b\nContent-Type: message/delivery-status\n\n";
const QMAIL = `${DAEMON}\nHi. This is the qmail-send program at y.test.\n`;

const BOMBS: [name: string, mail: () => string][] = [
  ["100k parts", () => MIXED + times("--b\n\nx\n", 100_000)],
  ["100k parts, each the beginning of a part", () => MIXED + times("--b\n", 300_000)],
  ["200k header fields", () => times("X-A: b\n", 200_000)],
  ["200k header fields of one part", () => `${MIXED}--b\n${times("X-A: b\n", 200_000)}`],
  ["one header field of 2 MiB, folded", () => full("Subject: x", "\n y")],
  ["a header field of encoded words", () => full("Subject: ", "=?utf-8?q?=")],
  ["nested 2,000 deep", () => nested(2000)],
  ["message/rfc822 10,000 deep", () => enclosed(10_000)],
  ["a boundary of 1 MiB", () => `${DAEMON}Content-Type: multipart/mixed; boundary="${times("b", MEBI)}"\n\n--b\n\nx`],
  ["a charset of 1 MiB", () => `${DAEMON}Content-Type: text/plain; charset=${times("u", MEBI)}\n\nx`],
  ["parameters without end", () => full(`${DAEMON}Content-Type: multipart/mixed`, ';a="')],
  ["almost delimiters", () => full(MIXED, "--bb\n")],
  [
    "100k recipients in one block each",
    () => REPORT + STATUS + times("Final-Recipient: rfc822; a@y.test\n\n", 100_000),
  ],
  ["100k recipients in one block", () => REPORT + STATUS + times("Final-Recipient: rfc822; a@y.test\n", 100_000)],
  ["escapes in an address", () => full(`${REPORT}${STATUS}Final-Recipient: utf-8; `, "\\x{41}")],
  [
    "100k listed recipients",
    () => QMAIL + Array.from({ length: 100_000 }, (_, i) => `<a${i}@y.test>:\nfull\n`).join(""),
  ],
  ["a line of at signs", () => full(QMAIL, "@")],
  ["long words before at signs", () => full(QMAIL, `${times("a", 70)}@`)],
  ["lines that nearly list", () => full(QMAIL, `Name ${times("a ", 40)}(a@y.test\n`)],
  ["indents", () => full(QMAIL, `${times(" ", 900)}a@y.test x\n`)],
  ["digits and dots", () => full(QMAIL, "5.1.1.5 5.1.")],
  ["angle brackets in HTML", () => full(`${DAEMON}Content-Type: text/html\n\n`, "<")],
  ["unended tags in HTML", () => full(`${DAEMON}Content-Type: text/html\n\n`, "<p ")],
  ["unended style sheets", () => full(`${DAEMON}Content-Type: text/html\n\n`, "<style>")],
  ["many style sheets", () => full(`${DAEMON}Content-Type: text/html\n\n`, "<style></style>")],
  ["white space", () => full(DAEMON, " ")],
  ["CR only", () => full(DAEMON, "\r")],
  ["equals signs in quoted-printable", () => full(`${DAEMON}Content-Transfer-Encoding: quoted-printable\n\n`, "= ")],
  ["NULs", () => full("", "\0")],
];

/** The clock of workerd advances only at an await. */
async function timed(raw: Uint8Array): Promise<{ kind: string; ms: number }> {
  await scheduler.wait(1);
  const started = performance.now();
  const kind = digest(raw);
  await scheduler.wait(1);
  return { kind, ms: performance.now() - started };
}

describe("a hostile message is parsed in less than a second", () => {
  it.each(BOMBS)("%s", async (_, mail) => {
    const raw = bytes(mail());
    const { kind, ms } = await timed(raw);
    expect(ms).toBeLessThan(1000);
    expect(["dsn", "bounce", "auto-reply", "other"]).toContain(kind);
  });

  it.each(["", DAEMON, REPORT, MIXED])("25 MiB of base64 after %j", async (head) => {
    const raw = new Uint8Array(25 * MEBI).fill(0x41);
    raw.set(bytes(`${head}Content-Transfer-Encoding: base64\n\n`));
    for (let at = 500; at < raw.length; at += 77) raw[at] = 0x0a;
    expect((await timed(raw)).ms).toBeLessThan(1000);
  });

  it("the limits of parts and depth apply", () => {
    expect(splitMessage(bytes(MIXED + times("--b\n\nx\n", 100_000))).parts.length).toBeLessThanOrEqual(1000);
    const deep = splitMessage(bytes(nested(2000)));
    expect(deep.parts).toHaveLength(1);
    expect(deep.parts[0]?.type).toBe("multipart/mixed");
  });

  it("parts are views of the message", () => {
    const raw = bytes(REPORTS[0]?.mail ?? "");
    for (const part of splitMessage(raw).parts) expect(part.body.buffer).toBe(raw.buffer);
  });
});
