import { isAutoReply, saysAnswer } from "./auto-reply.ts";
import { isFromDaemon, readBounceText, reportOf } from "./bounce-text.ts";
import { readComplaint, readEnclosedComplaint } from "./complaint.ts";
import { readDeliveryStatus } from "./delivery-status.ts";
import { decodeWords } from "./encoded-words.ts";
import type { DeliveryReport, Feedback, ReportedRecipient } from "./feedback.ts";
import { type Fields, readFields } from "./fields.ts";
import { listedRecipients } from "./listed-recipients.ts";
import { type Part, type Split, splitMessage } from "./parts.ts";
import { linesOf, octetsOf } from "./text.ts";
import { messageIdOf, oneLine } from "./values.ts";

const STATUS = ["message/delivery-status", "message/global-delivery-status"];
const ENCLOSED = [
  "message/rfc822",
  "message/global",
  "text/rfc822-headers",
  "message/rfc822-headers",
  "message/global-headers",
  "text/rfc822",
];
/** Text parts read of one mail. */
const MAX_TEXTS = 3;

/**
 * What a mail that came back says: a report by RFC 3464, RFC 6533 or RFC 5965, a bounce in words, an answering
 * machine's mail, or none of these. `nullSender`: its MAIL FROM was empty (RFC 5321 4.5.5). Looks at the first MiB
 * only; never throws.
 */
export function readFeedback(raw: Uint8Array, nullSender = false): Feedback {
  const mail = splitMessage(raw);
  const subject = decodeWords(mail.fields.get("subject") ?? "");
  const original = enclosedIn(mail);
  const isNull = nullSender || /^<\s*>/.test(mail.fields.get("return-path") ?? "");
  const trusted = isFromDaemon(mail.fields) || isNull;
  const isOf = (part: Part, name: string) =>
    part.report === null ? trusted : part.report === name || part.report === "";
  const report = (types: readonly string[], name: string) =>
    mail.parts.find((part) => types.includes(part.type) && isOf(part, name));

  const complaint = report(["message/feedback-report"], "feedback-report");
  if (complaint) return readComplaint(octetsOf(complaint), original);
  const enclosed = readEnclosedComplaint(mail.fields, original);
  if (enclosed) return enclosed;
  const status = report(STATUS, "delivery-status");
  const dsn = status ? readReport(status, mail, original) : null;
  if (dsn) return dsn;
  const declared = mail.parts.some((part) => part.report === "delivery-status") || status !== undefined;
  const answers = !declared && !isFromDaemon(mail.fields) && saysAnswer(mail.fields, subject);
  const lines = answers ? [] : linesIn(mail);
  const evidence = { fields: mail.fields, subject, lines, original, declared, nullSender: isNull };
  const bounce = answers ? null : readBounceText(evidence);
  if (bounce) return { kind: "bounce", ...bounce };
  const receipt = mail.parts.find((part) => part.report !== null)?.report ?? null;
  return { kind: isAutoReply(mail.fields, subject, receipt) ? "auto-reply" : "other" };
}

/** Null when the report names no recipient: its text may. */
function readReport(status: Part, mail: Split, original: Fields | null): DeliveryReport | null {
  const { recipients, originalEnvelopeId } = readDeliveryStatus(octetsOf(status));
  if (recipients.length === 0) return null;
  const id = original?.get("message-id") ?? mail.fields.get("in-reply-to");
  return {
    kind: "dsn",
    recipients: withWords(recipients, mail),
    originalEnvelopeId,
    originalMessageId: messageIdOf(id),
  };
}

/** Where the report gives no diagnostic for a failure, the text may (Exim, for what it refused itself). */
function withWords(recipients: readonly ReportedRecipient[], mail: Split): ReportedRecipient[] {
  const isDumb = (one: ReportedRecipient) => one.action === "failed" && one.diagnostic === null;
  if (!recipients.some(isDumb)) return [...recipients];
  const listed = new Map(
    listedRecipients(reportOf(linesIn(mail))).map((one) => [one.recipient.toLowerCase(), one.words]),
  );
  const wordsOn = (address: string | null) => oneLine(listed.get(address?.toLowerCase() ?? "") ?? null);
  return recipients.map((one) =>
    isDumb(one) ? { ...one, diagnostic: wordsOn(one.finalRecipient) ?? wordsOn(one.recipient) } : one,
  );
}

/** Header of the mail that is enclosed, whole or its header only. */
function enclosedIn(mail: Split): Fields | null {
  const part = mail.parts.find((candidate) => candidate.body.length > 0 && ENCLOSED.includes(candidate.type));
  if (!part || !mail.type.startsWith("multipart/")) return null;
  const octets = octetsOf(part);
  let at = 0;
  while (octets[at] === 0x0d || octets[at] === 0x0a) at++;
  return readFields(octets, at, octets.length).fields;
}

/** Lines of the mail's plain text, or of its HTML where there is no other. */
function linesIn(mail: Split): string[] {
  const isShown = ({ fields }: Part) => !/^attachment/i.test(fields.get("content-disposition") ?? "");
  const ofType = (type: string) => mail.parts.filter((part) => part.type === type && isShown(part)).slice(0, MAX_TEXTS);
  const plain = ofType("text/plain").flatMap(linesOf);
  return plain.some((line) => line !== "") ? plain : ofType("text/html").flatMap(linesOf);
}
