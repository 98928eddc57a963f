import { classifyFailure } from "../../../../src/mail/reports/classify.ts";
import { parseFeedback } from "../../../../src/mail/reports/parse.ts";
import { formatReply, ReplyParser } from "../../../../src/mail/smtp/replies.ts";
import { toTransactionResult } from "../../../../src/mail/smtp/results.ts";
import { toReportOutcome } from "../../../../src/sending/feedback/to-outcome.ts";
import { suppressionFor } from "../../../../src/sending/suppressions/index.ts";
import { fromDaemon, lines, original, report } from "../samples.ts";
import type { DeliveryReports, Phase, Refusals, Right, TextReport } from "./rows.ts";
import { RECIPIENT } from "./rows.ts";

/** One published message: its right value, what production makes of it, and how a failure names it. */
export interface Verdict {
  right: Right;
  found: string;
  name: string;
}

const OK = { code: 250, lines: ["OK"] };
const encoder = new TextEncoder();

/** Reads refusals by the parser of replies, the results of a transaction and the classification of a delivery. */
export const readRefusals = (groups: readonly Refusals[]): Verdict[] =>
  groups.flatMap(({ source, rows }) =>
    rows.map(([right, phase, reply]) => ({
      right,
      found: refuse(phase, reply),
      name: `${source}: ${phase}: ${reply}`,
    })),
  );

/** Reads RFC 3464 reports as they arrive at the return path. */
export const readReports = (groups: readonly DeliveryReports[]): Verdict[] =>
  groups.flatMap(({ source, notice, rows }) =>
    rows.map(([right, status, diagnostic]) => {
      const fields = [`Final-Recipient: rfc822; ${RECIPIENT}`, "Action: failed", `Status: ${status}`];
      const block = lines(...fields, `Diagnostic-Code: ${diagnostic}`);
      const enclosed = ["Content-Type: message/rfc822", "", original(RECIPIENT), "", "Hello"];
      const mail = report({ text: notice, blocks: ["Reporting-MTA: dns; relay.example", block], enclosed });
      return { right, found: readMail(mail, RECIPIENT), name: `${source}: ${status}: ${diagnostic}` };
    }),
  );

/** Reads report mails without a machine-readable part. */
export const readTexts = (mails: readonly TextReport[]): Verdict[] =>
  mails.map(({ source, right, recipient, from, subject, type, body }) => {
    const returned = type === "text/html" ? "" : original(recipient);
    const mail = fromDaemon({ from, subject, type: `${type}; charset=utf-8` }, body, returned);
    return { right, found: readMail(mail, recipient), name: `${source}: ${body}` };
  });

/** A delivery (src/sending/delivery/record/outcome.ts) tries again after 4xx and refusals of the session, and classifies only 5xx to RCPT. */
function refuse(phase: Phase, text: string): Right {
  const parser = new ReplyParser();
  parser.feed(encoder.encode(`${text.replaceAll("\n", "\r\n")}\r\n`));
  const raw = parser.next();
  if (!raw) throw new Error(`an incomplete reply: ${text}`);
  if (phase === "connect" || phase === "ehlo") return "soft";
  const plan = { mail: "", recipients: [{ index: 0, line: "", asksSuccess: false }], decided: [null] };
  const at = (command: Phase) => (command === phase ? raw : OK);
  const data = phase === "data" ? ({ kind: "replied", reply: raw } as const) : null;
  const [result] = toTransactionResult(plan, { mail: at("mail"), rcpts: [at("rcpt")], data: null }, data).recipients;
  if (result?.kind !== "recipient-refused") return "soft";
  const found = classifyFailure({ status: null, text: formatReply(result.reply), phase: result.phase });
  return verdictOf(suppressionFor(found));
}

function readMail(mail: string, recipient: string): string {
  const read = parseFeedback(encoder.encode(mail), true);
  if (read.kind !== "dsn" && read.kind !== "bounce") return read.kind;
  const [one] = read.recipients;
  if (!one || read.recipients.length > 1) return `${read.recipients.length} recipients`;
  if (one.recipient !== recipient) return `another recipient: ${one.recipient}`;
  return one.action === "failed" ? verdictOf(toReportOutcome(one)) : one.action;
}

/** An address is suppressed at once, its domain at the second report (docs/contract/suppressions.md#suppression-list). */
const verdictOf = ({ suppress }: { suppress?: string }): Right => (suppress === undefined ? "soft" : "hard");
