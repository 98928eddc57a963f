import { lowerCase } from "../../lib/addresses.ts";
import { words } from "../../lib/words.ts";
import { decodeEncodedWords } from "../texts/encoded-words.ts";
import { type Fields, readBlock } from "../texts/fields.ts";
import { isAutoReply, isReply } from "./automatic-mail.ts";
import { chooseReason, parseBounceText, reportLines } from "./bounce-text.ts";
import { parseComplaint, parseEnclosedComplaint } from "./complaint.ts";
import { parseDeliveryStatus } from "./delivery-status.ts";
import type { DeliveryReport, Feedback, ReportedRecipient } from "./feedback.ts";
import { listedRecipients } from "./listed-recipients.ts";
import { findPhase } from "./phase.ts";
import { isFromDaemon } from "./recognize.ts";
import { type Part, type SplitMessage, splitMessage } from "./split-message.ts";
import { decodeBody, decodeLines } from "./text.ts";
import { findMessageId, oneLine, parseTypedAddress } from "./values.ts";

const STATUS = ["message/delivery-status", "message/global-delivery-status"];
const ENCLOSED = words(`
  message/rfc822 message/global text/rfc822-headers message/rfc822-headers message/global-headers text/rfc822`);
/** Text parts that are read from one mail. */
const MAX_TEXTS = 3;

/**
 * Parses a mail that was returned: a report (RFC 3464, RFC 6533, RFC 5965), a bounce in plain text, an automatic reply,
 * or other mail. `nullSender` is true when its MAIL FROM was empty (RFC 5321 4.5.5). Reads the first MiB. Never throws.
 */
export function parseFeedback(raw: Uint8Array, nullSender = false): Feedback {
  const mail = splitMessage(raw);
  const subject = decodeEncodedWords(mail.fields.get("subject") ?? "");
  const original = readEnclosed(mail);
  const isNull = nullSender || /^<\s*>/.test(mail.fields.get("return-path") ?? "");
  const trusted = isFromDaemon(mail.fields) || isNull;
  const isPartOf = (part: Part, name: string) =>
    part.reportType === null ? trusted : part.reportType === name || part.reportType === "";
  const findReport = (types: readonly string[], name: string) =>
    mail.parts.find((part) => types.includes(part.type) && isPartOf(part, name));

  const complaint = findReport(["message/feedback-report"], "feedback-report");
  if (complaint) return parseComplaint(decodeBody(complaint), original);
  const enclosed = parseEnclosedComplaint(mail.fields, original);
  if (enclosed) return enclosed;
  // An automatic reply is never a bounce, whatever it quotes or encloses.
  const declaredType = mail.parts.some((part) => part.reportType === "delivery-status");
  if (!declaredType && !isFromDaemon(mail.fields) && isReply(mail.fields, subject, "")) return { kind: "auto-reply" };
  const status = findReport(STATUS, "delivery-status");
  const dsn = status ? parseReport(status, mail, original) : null;
  if (dsn) return dsn;
  const rejection = readRejection(mail);
  if (rejection) return rejection;
  const declared = declaredType || status !== undefined;
  const evidence = { fields: mail.fields, subject, lines: readText(mail), original, declared, nullSender: isNull };
  const bounce = parseBounceText(evidence);
  if (bounce) return { kind: "bounce", ...bounce };
  const receipt = mail.parts.find((part) => part.reportType !== null)?.reportType ?? null;
  return { kind: isAutoReply(mail.fields, subject, receipt) ? "auto-reply" : "other" };
}

/** Reads the refusal of a mailbox by its own rules (RFC 5429 2.1.1), which some send as a receipt (RFC 8098). It says nothing of the address. */
function readRejection(mail: SplitMessage): Feedback | null {
  const receipt = mail.parts.find(({ type }) => type === "message/disposition-notification");
  if (!receipt) return null;
  const fields = readBlock(decodeBody(receipt));
  const recipient = parseTypedAddress(fields.get("final-recipient"));
  if (recipient === null || !/;\s*deleted\/rejected\b/i.test(fields.get("disposition") ?? "")) return null;
  const failure = { action: "failed", status: "5.7.1", phase: "data", remoteMta: null } as const;
  const found = { recipient, finalRecipient: recipient, diagnostic: oneLine(readText(mail).join(" ")), ...failure };
  return { kind: "bounce", recipients: [found], originalMessageId: findMessageId(fields.get("original-message-id")) };
}

/** Returns null when the report names no recipient: its text may name one. */
function parseReport(status: Part, mail: SplitMessage, original: Fields | null): DeliveryReport | null {
  const { recipients, originalEnvelopeId } = parseDeliveryStatus(decodeBody(status));
  if (recipients.length === 0) return null;
  const originalMessageId = findMessageId(original?.get("message-id") ?? mail.fields.get("in-reply-to"));
  return { kind: "dsn", recipients: addDiagnostics(recipients, mail), originalEnvelopeId, originalMessageId };
}

/**
 * Completes failed recipients from the text: Exim writes the diagnostic of its own refusals only there, and sendmail
 * the command that was refused. Text that lists no recipient belongs to the only one.
 */
function addDiagnostics(recipients: readonly ReportedRecipient[], mail: SplitMessage): ReportedRecipient[] {
  if (!recipients.some((one) => one.action === "failed" && (one.diagnostic === null || one.phase === null))) {
    return [...recipients];
  }
  const report = reportLines(readText(mail));
  const listed = new Map(listedRecipients(report).map((one) => [lowerCase(one.recipient), one]));
  const listedAs = (address: string | null) => listed.get(lowerCase(address ?? ""));
  const alone = recipients.length === 1;
  return recipients.map((one) => {
    if (one.action !== "failed") return one;
    const own = listedAs(one.finalRecipient) ?? listedAs(one.recipient) ?? { text: "", reason: "" };
    const text = alone ? chooseReason(own, report) : own.reason || own.text;
    const phase = one.phase ?? findPhase(alone ? report.join("\n") : own.text);
    return { ...one, diagnostic: one.diagnostic ?? oneLine(text), phase };
  });
}

/** Returns the header of the enclosed mail. */
function readEnclosed(mail: SplitMessage): Fields | null {
  const part = mail.parts.find((candidate) => candidate.body.length > 0 && ENCLOSED.includes(candidate.type));
  if (!part || !mail.type.startsWith("multipart/")) return null;
  return readBlock(decodeBody(part));
}

/** Returns the lines of the mail's plain text, or of its HTML when it has no plain text. */
function readText(mail: SplitMessage): string[] {
  const isShown = ({ fields }: Part) => !/^attachment/i.test(fields.get("content-disposition") ?? "");
  const ofType = (type: string) => mail.parts.filter((part) => part.type === type && isShown(part)).slice(0, MAX_TEXTS);
  // A multipart without a boundary can only be read as text.
  const isPlain = ({ type }: Part) => type === "text/plain" || type.startsWith("multipart/");
  const plain = mail.parts
    .filter((part) => isPlain(part) && isShown(part))
    .slice(0, MAX_TEXTS)
    .flatMap(decodeLines);
  return plain.some((line) => line !== "") ? plain : ofType("text/html").flatMap(decodeLines);
}
