import type { Fields } from "../texts/fields.ts";
import { isFromList, isReply, isSubmittedByProgram } from "./automatic-mail.ts";
import { DELAYS, FAILURES, SUBJECTS, WORDINGS } from "./bounce-wording.ts";
import { namesReason } from "./classify.ts";
import { hasCode, listedRecipients } from "./listed-recipients.ts";

/** Characters at the beginning of a report that are searched for its wording. */
const MAX_WORDING = 6000;

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

const DAEMON =
  /(?:^|<|\s|")(?:mailer-?daemon|post_?master|mail-?daemon|mdaemon|microsoftexchange[0-9a-f]{20,40}|mail-?delivery|delivery-?(?:status|daemon)|bounces?)@/i;
const DAEMON_NAME =
  /mail(?:er)?[- ]?(?:daemon|delivery|deliverer|administrator|router)|system administrator|delivery (?:sub)?system|mail system|postmaster|interscan|mail server/i;
/** Local parts of programs, which send bounces at some sites. */
const ROLE = /(?:^|<|\s)(?:no-?_?reply|sysadmin|root|admin(?:istrator)?|system|mail|smtp|notification)s?@/i;
const REPLY_OR_FORWARD = /^\s*(?:re|aw|sv|fwd?|wg|tr|rv|antw|odp|vs|回复|转发|返信|転送)\s*[:：]/i;
/** Mail that asks the sender to prove that it is a person is no failure. */
const CHALLENGE =
  /(?:confirm|verify|prove) (?:that )?(?:you|your (?:e-?mail|message|identity|address))|challenge[- ]response|spamarrest|boxbe|click (?:on )?the (?:link|button).{0,60}(?:deliver|release|approve)|approve.{0,30}sender list/;

/** Returns whether a mail system sent the mail, by its From (some leave it empty) or by Exim's field. */
export function isFromDaemon(fields: Fields): boolean {
  const from = fields.get("from") ?? "";
  return /^<?\s*>?$/.test(from) || DAEMON.test(from) || DAEMON_NAME.test(from) || fields.has("x-failed-recipients");
}

/**
 * Returns what a mail in plain text reports; null when it is no bounce. Several signs must agree: who sent the mail
 * (a mail system, the null sender) and what it says (the wording of a known system, or a subject, sentence, reply code,
 * listed address and returned mail). `report` is the text before the returned mail.
 */
export function recognizeBounce(evidence: Evidence, report: readonly string[]): "failed" | "delayed" | null {
  const { declared, subject, fields } = evidence;
  const text = flatten(report.join("\n").slice(0, MAX_WORDING));
  if (!declared) {
    if (REPLY_OR_FORWARD.test(subject) || CHALLENGE.test(text)) return null;
    if (!isFromDaemon(fields) && isReply(fields, subject, report.join(" ").slice(0, MAX_WORDING))) return null;
    if (isFromList(fields)) return null;
  }
  const isDelay = isDelayed(evidence, report);
  if (declared) return isDelay ? "delayed" : "failed";
  const content = contentScore(evidence, report, text) + (isDelay ? 2 : 0);
  if (trustScore(evidence) < 2 || content < 3) return null;
  return isDelay ? "delayed" : "failed";
}

/** Scores the sender. 2 is enough: a mail system, the null sender, or a program that encloses the returned mail. */
function trustScore({ fields, nullSender, original, lines }: Evidence): number {
  const isAutomatic = isSubmittedByProgram(fields) || ROLE.test(fields.get("from") ?? "");
  const returnsMail = original !== null || lines.some((line) => /^[\s>|]{0,8}message-id:/i.test(line));
  return (isFromDaemon(fields) ? 2 : 0) + (nullSender ? 2 : 0) + (isAutomatic && returnsMail ? 2 : 0);
}

function contentScore(
  { fields, nullSender, subject, original, lines }: Evidence,
  report: readonly string[],
  text: string,
): number {
  const hasWording = WORDINGS.some(({ says }) => text.includes(says));
  const hasSubject = SUBJECTS.some((pattern) => pattern.test(flatten(subject)));
  const hasFailure = FAILURES.some((pattern) => pattern.test(text));
  const hasAddress = listedRecipients(report).length > 0 || text.includes("@");
  const returnsMail = original !== null || report.length < lines.length;
  // In the words of other senders this may be the notice of a person who has left.
  const hasReason = isFromDaemon(fields) && nullSender && namesReason(text);
  return (
    (hasWording ? 3 : 0) +
    (hasSubject ? 2 : 0) +
    (hasFailure || hasReason ? 2 : 0) +
    (report.some(hasCode) ? 1 : 0) +
    (hasAddress ? 1 : 0) +
    (returnsMail ? 1 : 0)
  );
}

/** Looks at the subject and at the text for people: lines with a reply code quote another server. */
function isDelayed({ subject }: Evidence, report: readonly string[]): boolean {
  const human = report.filter((line) => !hasCode(line)).join(" ");
  const text = `${flatten(subject)} . ${flatten(human.slice(0, MAX_WORDING))}`;
  return DELAYS.some((pattern) => pattern.test(text));
}

const flatten = (text: string) =>
  text
    .toLowerCase()
    .replace(/[\s*#]+/g, " ")
    .trim();
