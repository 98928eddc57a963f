import { describe, expect, it } from "vitest";
import { parseFeedback } from "../../../../src/mail/reports/parse.ts";
import { toReportOutcome } from "../../../../src/sending/feedback/to-outcome.ts";
import type { Sample } from "../../../mail/reports/samples.ts";
import { COMPLAINTS } from "../../../mail/reports/samples-complaints.ts";
import { OTHER_BOUNCES } from "../../../mail/reports/samples-other-bounces.ts";
import { OTHERS } from "../../../mail/reports/samples-others.ts";
import { REPORTS } from "../../../mail/reports/samples-reports.ts";
import { UNIX_BOUNCES } from "../../../mail/reports/samples-unix-bounces.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const FORMS = { LF: "\n", CRLF: "\r\n", CR: "\r" };
const samples: readonly Sample[] = [...REPORTS, ...UNIX_BOUNCES, ...OTHER_BOUNCES, ...OTHERS];

const hardness = (suppress: string | undefined) => (suppress === "domain-failure" ? "domain" : suppress === "bounce");

/** Parses a sample into the form of its expected rows. */
function rowsOf(mail: string): unknown {
  const read = parseFeedback(bytes(mail));
  if (read.kind !== "dsn" && read.kind !== "bounce") return { kind: read.kind };
  const rows = read.recipients.map((one) => [
    one.recipient,
    one.action,
    one.status,
    hardness(toReportOutcome(one).suppress),
  ]);
  return { kind: read.kind, rows, messageId: read.originalMessageId };
}

describe.each(Object.entries(FORMS))("with line ends %s", (_, lineEnd) => {
  const formed = (mail: string) => mail.replaceAll("\r\n", "\n").replaceAll("\n", lineEnd);

  it.each(samples.map((sample) => [sample.kind, sample.name, sample] as const))("%s: %s", (_kind, _name, sample) => {
    const rows = sample.rows?.map((row) => row.slice(0, 4));
    const expected = rows ? { kind: sample.kind, rows, messageId: sample.messageId } : { kind: sample.kind };
    expect(rowsOf(formed(sample.mail))).toEqual(expected);
    const read = parseFeedback(bytes(formed(sample.mail)));
    if (read.kind !== "dsn" && read.kind !== "bounce") return;
    for (const [i, [, , , , says, host]] of (sample.rows ?? []).entries()) {
      const recipient = read.recipients[i];
      if (says === null) expect(recipient?.diagnostic).toBeNull();
      else if (says !== undefined) expect(recipient?.diagnostic).toContain(says);
      if (host !== undefined) expect(recipient?.remoteMta).toBe(host);
    }
    expect(read).toEqual(parseFeedback(bytes(sample.mail)));
  });

  it.each(COMPLAINTS.map((sample) => [sample.name, sample] as const))("complaint: %s", (_name, sample) => {
    expect(parseFeedback(bytes(formed(sample.mail)))).toEqual(sample.reads);
  });
});

describe("parseFeedback", () => {
  it("returns the envelope id and the final recipient", () => {
    const mail = REPORTS.find(({ name }) => name.includes("envelope id"))?.mail ?? "";
    expect(parseFeedback(bytes(mail))).toMatchObject({ originalEnvelopeId: "env-1" });
    const delivered = REPORTS.find(({ name }) => name.startsWith("delivered"))?.mail ?? "";
    const read = parseFeedback(bytes(delivered));
    expect(read.kind === "dsn" && read.recipients[0]?.finalRecipient).toBe("a2@z.test");
  });

  it("treats an empty MAIL FROM as a mail system, whatever the header says", () => {
    const mail = bytes("From: Bob <b@y.test>\n\nYour message could not be delivered.\n\n<bob@y.test>: user unknown\n");
    expect(parseFeedback(mail).kind).toBe("other");
    expect(parseFeedback(mail, true)).toMatchObject({ kind: "bounce", recipients: [{ recipient: "bob@y.test" }] });
  });

  it("skips the From line of an mbox file", () => {
    const mail = REPORTS[0]?.mail ?? "";
    expect(rowsOf(`From MAILER-DAEMON Sat Nov 21 10:00:00 2026\n${mail}`)).toEqual(rowsOf(mail));
  });

  it("is tested with at least 40 bounces and reports", () => {
    expect(REPORTS.length + UNIX_BOUNCES.length + OTHER_BOUNCES.length + COMPLAINTS.length).toBeGreaterThanOrEqual(40);
  });
});
