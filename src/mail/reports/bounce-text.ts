/**
 * Bounces in words: told from other mail by who sent them and how they are worded, and read line by line. Every
 * pattern costs at most a multiple of its line's length.
 */

import { RETURNED, SUBJECTS, WORDINGS } from "./bounce-wording.ts";
import type { ReportedRecipient } from "./feedback.ts";
import type { Fields } from "./fields.ts";
import { givesReason, hasCode, listedRecipients } from "./listed-recipients.ts";
import { ADDRESS, addressOf, hostOf, messageIdOf, oneLine, statusIn } from "./values.ts";

/** Characters of a report in which its wording must stand. */
const MAX_WORDING = 6000;
/** Recipients taken from a header field. */
const MAX_NAMED = 50;

/** What there is to judge by. */
export interface Evidence {
  fields: Fields;
  /** The subject, decoded. */
  subject: string;
  /** Lines of the text. */
  lines: readonly string[];
  /** Header of the mail that is enclosed. */
  original: Fields | null;
  /** The mail calls itself a delivery report (RFC 3464), or its MAIL FROM was empty (RFC 5321 4.5.5). */
  declared: boolean;
  nullSender: boolean;
}

const DAEMON = /(?:^|<|\s|")(?:mailer-?daemon|postmaster|mail-?daemon|mdaemon|microsoftexchange[0-9a-f]{20,40})@/i;
const DAEMON_NAME = /mail(?:er)?[- ](?:daemon|delivery|administrator|router)|system administrator|delivery subsystem/i;

/** Whether a mail system sent it, by its From (which some leave empty), or by the field that Exim adds. */
export function isFromDaemon(fields: Fields): boolean {
  const from = fields.get("from") ?? "";
  return /^<\s*>$/.test(from) || DAEMON.test(from) || DAEMON_NAME.test(from) || fields.has("x-failed-recipients");
}

/** Reads a bounce in words. Null when nothing tells that it is one. */
export function readBounceText(
  evidence: Evidence,
): { recipients: ReportedRecipient[]; originalMessageId: string | null } | null {
  const { fields, subject, declared, nullSender, lines, original } = evidence;
  const isDaemon = isFromDaemon(fields);
  if (!declared && !isDaemon && !nullSender) return null;
  if (!declared && /^\s*(?:re|aw|sv|fwd?|wg|tr|rv)\s*:/i.test(subject)) return null;
  const report = reportOf(lines);
  const action = actionIn(report, subject, isDaemon || declared) ?? (declared ? "failed" : null);
  if (action === null) return null;
  const recipients = asReported(recipientsIn(report, evidence), report, action);
  return { recipients, originalMessageId: originalIn(lines.slice(returnedAt(lines)), fields, original) };
}

/** The lines before the returned mail, without what is quoted. */
export function reportOf(lines: readonly string[]): string[] {
  return lines.slice(0, returnedAt(lines)).filter((line) => !/^\s*(?:>(?!>>)|\|\s)/.test(line));
}

/** Index of the line at which the returned mail begins. */
function returnedAt(lines: readonly string[]): number {
  const at = lines.findIndex((line, i) => {
    const lower = line.toLowerCase();
    return RETURNED.some((mark) => lower.includes(mark)) || (i > 2 && /^(?:return-path|received): ?[<f(b]/.test(lower));
  });
  return at < 0 ? lines.length : at;
}

/** By the wording; by a mail system's subject, where the text names an address or a code. */
function actionIn(report: readonly string[], subject: string, trusted: boolean): "failed" | "delayed" | null {
  const text = flatten(report.join(" ").slice(0, MAX_WORDING));
  const wording = WORDINGS.find(({ says }) => text.includes(says));
  if (wording) return wording.action;
  if (!trusted || !(text.includes("@") || statusIn(text) !== null)) return null;
  const lower = flatten(subject);
  return SUBJECTS.find(({ says }) => lower.startsWith(says))?.action ?? null;
}

const flatten = (text: string) => text.toLowerCase().replace(/\s+/g, " ").trim();

interface Found {
  recipient: string;
  words: string;
}

const INLINE = new RegExp(
  `\\b(?:message|mail|e-?mail|delivery|deliver|delivered|delivering|recipient|user|mailbox|address)\\b[^@]{0,60}?[\\s:<"']<?(${ADDRESS})`,
  "iu",
);

/** From the lists that reports make, else from running text, X-Failed-Recipients (Exim), the enclosed mail's To. */
function recipientsIn(report: readonly string[], { fields, original }: Evidence): Found[] {
  const named = fields.all("x-failed-recipients").join(",").split(",", MAX_NAMED).map(addressOf).filter(isText);
  const listed = listedRecipients(report);
  if (named.length > 0) {
    const wordsOf = new Map(listed.map((one) => [one.recipient.toLowerCase(), one.words]));
    return named.map((recipient) => ({ recipient, words: wordsOf.get(recipient.toLowerCase()) ?? "" }));
  }
  if (listed.length > 0) return listed;
  const inline = INLINE.exec(report.join(" ").slice(0, MAX_WORDING))?.[1] ?? null;
  const recipient = inline ?? addressOf(original?.get("to") ?? null);
  return recipient === null ? [] : [{ recipient, words: "" }];
}

const isText = (value: string | null): value is string => value !== null;

const HOST = /\b(?:host|talking to|server|relay) ([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8})/i;

/** What is said of each; what the report says elsewhere only where it can mean nobody else. */
function asReported(
  found: readonly Found[],
  report: readonly string[],
  action: "failed" | "delayed",
): ReportedRecipient[] {
  const alone = found.length === 1;
  const coded = alone ? (report.find(hasCode) ?? "") : "";
  const reason = alone ? (report.find(givesReason) ?? "") : "";
  const host = alone ? HOST.exec(report.join(" ").slice(0, MAX_WORDING))?.[1] : undefined;
  return found.map(({ recipient, words }) => {
    const own = hasCode(words) || !alone ? words : coded || (givesReason(words) ? words : reason || words);
    return {
      recipient,
      finalRecipient: null,
      action,
      status: statusIn(own),
      diagnostic: oneLine(own),
      remoteMta: hostOf(HOST.exec(words)?.[1] ?? host ?? null),
    };
  });
}

/** From the enclosed mail, from one that is quoted after the report, from the mail that this one answers. */
function originalIn(returned: readonly string[], fields: Fields, original: Fields | null): string | null {
  const at = returned.findIndex((line) => /^[\s>|]{0,8}message-id:/i.test(line));
  const quoted = at < 0 ? null : returned.slice(at, at + 2).join(" ");
  return messageIdOf(original?.get("message-id") ?? quoted) ?? messageIdOf(fields.get("in-reply-to"));
}
