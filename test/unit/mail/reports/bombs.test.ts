import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFeedback } from "../../../../src/mail/reports/parse.ts";
import { splitMessage } from "../../../../src/mail/reports/split-message.ts";
import { toReportOutcome } from "../../../../src/sending/feedback/to-outcome.ts";
import { LARGE_REPORTS, MIXED, nested, REPORT_BOMBS } from "../../../mail/reports/bomb-reports.ts";
import { COMPLAINTS } from "../../../mail/reports/samples-complaints.ts";
import { OTHER_BOUNCES } from "../../../mail/reports/samples-other-bounces.ts";
import { OTHERS } from "../../../mail/reports/samples-others.ts";
import { REPORTS } from "../../../mail/reports/samples-reports.ts";
import { UNIX_BOUNCES } from "../../../mail/reports/samples-unix-bounces.ts";

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

describe("a hostile message", () => {
  it.each([...REPORT_BOMBS, ...LARGE_REPORTS])("is parsed: %s", (_, mail) => {
    const raw = mail();
    expect(["dsn", "bounce", "auto-reply", "other"]).toContain(digest(typeof raw === "string" ? bytes(raw) : raw));
  });

  it("the limits of parts and depth apply", () => {
    expect(splitMessage(bytes(MIXED + "--b\n\nx\n".repeat(100_000))).parts.length).toBeLessThanOrEqual(1000);
    const deep = splitMessage(bytes(nested(2000)));
    expect(deep.parts).toHaveLength(1);
    expect(deep.parts[0]?.type).toBe("multipart/mixed");
  });

  it("parts are views of the message", () => {
    const raw = bytes(REPORTS[0]?.mail ?? "");
    for (const part of splitMessage(raw).parts) expect(part.body.buffer).toBe(raw.buffer);
  });
});
