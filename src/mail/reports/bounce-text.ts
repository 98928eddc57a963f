/**
 * Recognizes and parses bounces in plain text, by their sender and wording. Every pattern runs in time linear to the
 * length of its line.
 */

import { RETURNED, SUBJECTS, WORDINGS } from "./bounce-wording.ts";
import type { ReportedRecipient } from "./feedback.ts";
import { givesReason, hasCode, listedRecipients } from "./listed-recipients.ts";
import type { Fields } from "./message.ts";
import { ADDRESS, findMessageId, findStatus, oneLine, parseAddress, parseHost } from "./values.ts";

/** Characters at the beginning of a report that are searched for a wording. */
const MAX_WORDING = 6000;
/** Recipients that are taken from X-Failed-Recipients. */
const MAX_FAILED = 50;

/** The properties of a mail that decide whether it is a bounce. */
export interface Evidence {
  fields: Fields;
  /** The subject, decoded. */
  subject: string;
  /** Lines of the text body. */
  lines: readonly string[];
  /** Header of the enclosed mail. */
  original: Fields | null;
  /** The mail declares itself a delivery report (RFC 3464). */
  declared: boolean;
  /** Its MAIL FROM was empty (RFC 5321 4.5.5). */
  nullSender: boolean;
}

const DAEMON = /(?:^|<|\s|")(?:mailer-?daemon|postmaster|mail-?daemon|mdaemon|microsoftexchange[0-9a-f]{20,40})@/i;
const DAEMON_NAME = /mail(?:er)?[- ](?:daemon|delivery|administrator|router)|system administrator|delivery subsystem/i;

/** Returns whether a mail system sent the mail, by its From (some leave it empty) or by Exim's field. */
export function isFromDaemon(fields: Fields): boolean {
  const from = fields.get("from") ?? "";
  return /^<\s*>$/.test(from) || DAEMON.test(from) || DAEMON_NAME.test(from) || fields.has("x-failed-recipients");
}

/** Parses a bounce in plain text. Returns null when the mail is none. */
export function parseBounceText(
  evidence: Evidence,
): { recipients: ReportedRecipient[]; originalMessageId: string | null } | null {
  const { fields, subject, declared, nullSender, lines, original } = evidence;
  const isDaemon = isFromDaemon(fields);
  if (!declared && !isDaemon && !nullSender) return null;
  if (!declared && /^\s*(?:re|aw|sv|fwd?|wg|tr|rv)\s*:/i.test(subject)) return null;
  const report = reportLines(lines);
  const action = findAction(report, subject, isDaemon || declared) ?? (declared ? "failed" : null);
  if (action === null) return null;
  const recipients = toReported(findRecipients(report, evidence), report, action);
  return { recipients, originalMessageId: findOriginalId(lines.slice(findReturned(lines)), fields, original) };
}

/** Returns the lines before the returned mail, without quoted lines. */
export function reportLines(lines: readonly string[]): string[] {
  return lines.slice(0, findReturned(lines)).filter((line) => !/^\s*(?:>(?!>>)|\|\s)/.test(line));
}

/** Returns the index of the line at which the returned mail begins. */
function findReturned(lines: readonly string[]): number {
  const at = lines.findIndex((line, i) => {
    const lower = line.toLowerCase();
    return RETURNED.some((mark) => lower.includes(mark)) || (i > 2 && /^(?:return-path|received): ?[<f(b]/.test(lower));
  });
  return at < 0 ? lines.length : at;
}

/** Returns the action by the wording, or by the subject of a mail system when the text names an address or a code. */
function findAction(report: readonly string[], subject: string, trusted: boolean): "failed" | "delayed" | null {
  const text = flatten(report.join(" ").slice(0, MAX_WORDING));
  const wording = WORDINGS.find(({ says }) => text.includes(says));
  if (wording) return wording.action;
  if (!trusted || !(text.includes("@") || findStatus(text) !== null)) return null;
  const lower = flatten(subject);
  return SUBJECTS.find(({ says }) => lower.startsWith(says))?.action ?? null;
}

const flatten = (text: string) => text.toLowerCase().replace(/\s+/g, " ").trim();

interface Found {
  recipient: string;
  text: string;
}

const INLINE = new RegExp(
  `\\b(?:message|mail|e-?mail|delivery|deliver|delivered|delivering|recipient|user|mailbox|address)\\b[^@]{0,60}?[\\s:<"']<?(${ADDRESS})`,
  "iu",
);

/** Takes the recipients from X-Failed-Recipients (Exim), else from listed lines, running text or the enclosed mail's To. */
function findRecipients(report: readonly string[], { fields, original }: Evidence): Found[] {
  const named = fields.all("x-failed-recipients").join(",").split(",", MAX_FAILED).map(parseAddress).filter(isText);
  const listed = listedRecipients(report);
  if (named.length > 0) {
    const textOf = new Map(listed.map((one) => [one.recipient.toLowerCase(), one.text]));
    return named.map((recipient) => ({ recipient, text: textOf.get(recipient.toLowerCase()) ?? "" }));
  }
  if (listed.length > 0) return listed;
  const inline = INLINE.exec(report.join(" ").slice(0, MAX_WORDING))?.[1] ?? null;
  const recipient = inline ?? parseAddress(original?.get("to") ?? null);
  return recipient === null ? [] : [{ recipient, text: "" }];
}

const isText = (value: string | null): value is string => value !== null;

const HOST = /\b(?:host|talking to|server|relay) ([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8})/i;

/** Adds the status, diagnostic and host of each recipient. A single recipient also takes them from the whole report. */
function toReported(
  found: readonly Found[],
  report: readonly string[],
  action: "failed" | "delayed",
): ReportedRecipient[] {
  const alone = found.length === 1;
  const coded = alone ? (report.find(hasCode) ?? "") : "";
  const reason = alone ? (report.find(givesReason) ?? "") : "";
  const host = alone ? HOST.exec(report.join(" ").slice(0, MAX_WORDING))?.[1] : undefined;
  return found.map(({ recipient, text }) => {
    const own = hasCode(text) || !alone ? text : coded || (givesReason(text) ? text : reason || text);
    return {
      recipient,
      finalRecipient: null,
      action,
      status: findStatus(own),
      diagnostic: oneLine(own),
      remoteMta: parseHost(HOST.exec(text)?.[1] ?? host ?? null),
    };
  });
}

/** Takes the Message-ID from the enclosed mail, from the text after the report, or from In-Reply-To. */
function findOriginalId(returned: readonly string[], fields: Fields, original: Fields | null): string | null {
  const at = returned.findIndex((line) => /^[\s>|]{0,8}message-id:/i.test(line));
  const quoted = at < 0 ? null : returned.slice(at, at + 2).join(" ");
  return findMessageId(original?.get("message-id") ?? quoted) ?? findMessageId(fields.get("in-reply-to"));
}
