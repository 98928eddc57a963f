/** Parses bounces in plain text. Every pattern runs in time linear to the length of its line. */

import { lowerCase } from "../../lib/addresses.ts";
import type { Fields } from "../texts/fields.ts";
import { COPY_FOLLOWS, RETURNED } from "./bounce-wording.ts";
import { namesReason } from "./classify.ts";
import type { ReportedRecipient } from "./feedback.ts";
import { givesReason, hasCode, type ListedRecipient, linesFrom, listedRecipients } from "./listed-recipients.ts";
import { findPhase } from "./phase.ts";
import { type Evidence, recognizeBounce } from "./recognize.ts";
import { ADDRESS, findMessageId, findStatus, oneLine, parseAddress, parseHost } from "./values.ts";

/** Characters at the beginning of a report in which a recipient is searched. */
const MAX_TEXT = 6000;
/** Recipients that are taken from X-Failed-Recipients. */
const MAX_FAILED = 50;
/** Lines that are searched for a phrase of the tables. */
const MAX_SEARCHED = 100;

/** Parses a bounce in plain text. Returns null when the mail is none. */
export function parseBounceText(
  evidence: Evidence,
): { recipients: ReportedRecipient[]; originalMessageId: string | null } | null {
  const { fields, lines, original } = evidence;
  const report = reportLines(lines);
  const action = recognizeBounce(evidence, report);
  if (action === null) return null;
  const recipients = toReported(findRecipients(report, evidence), report, action);
  return { recipients, originalMessageId: findOriginalId(lines.slice(findReturned(lines)), fields, original) };
}

/** A line that is quoted, or that a scanner writes below each mail. */
const NO_REPORT = /^\s*(?:>(?!>>)|\|\s)|\b(?:scanned|checked|certified) (?:for|by) |\bvirus-free\b/i;

/** Returns the lines before the returned mail, without those that report nothing. */
export function reportLines(lines: readonly string[]): string[] {
  return lines.slice(0, findReturned(lines)).filter((line) => !NO_REPORT.test(line));
}

/** Returns the index of the line at which the returned mail begins. */
function findReturned(lines: readonly string[]): number {
  const at = lines.findIndex((line, i) => {
    const lower = line.toLowerCase();
    const isCopied = RETURNED.some((mark) => lower.includes(mark)) || COPY_FOLLOWS.test(lower);
    return isCopied || (i > 2 && /^(?:return-path|received): ?[<f(b]/.test(lower));
  });
  return at < 0 ? lines.length : at;
}

interface Found extends Omit<ListedRecipient, "recipient"> {
  /** Null when the report names no recipient: the return path then identifies it. */
  recipient: string | null;
}

const INLINE = new RegExp(
  `(?:\\b(?:message|mail|e-?mail|delivery|deliver|delivered|delivering|recipient|user|mailbox|address)\\b|收件人|邮箱|地址|宛先|アドレス|주소)[^@]{0,60}?[\\s:<"'(（：]<?(${ADDRESS})`,
  "giu",
);

/** Takes recipients from X-Failed-Recipients (Exim), else from listed lines, running text or the enclosed mail's To. */
function findRecipients(report: readonly string[], { fields, original }: Evidence): Found[] {
  const isRecipient = recipientTest(fields, original);
  const named = fields
    .all("x-failed-recipients")
    .join(",")
    .split(",", MAX_FAILED)
    .flatMap((field) => parseAddress(field) ?? []);
  const listed = listedRecipients(report).filter(({ recipient }) => isRecipient(recipient));
  if (named.length > 0) {
    const known = new Map(listed.map((one) => [lowerCase(one.recipient), one]));
    return named.map((recipient) => ({ text: "", reason: "", ...known.get(lowerCase(recipient)), recipient }));
  }
  if (listed.length > 0) return listed;
  const inline = Array.from(report.join(" ").slice(0, MAX_TEXT).matchAll(INLINE), ([, address = ""]) => address);
  const candidates = [...inline, parseAddress(original?.get("to") ?? null)].flatMap((address) => address ?? []);
  return [{ recipient: candidates.find(isRecipient) ?? null, text: "", reason: "" }];
}

const HELP_DESK =
  /^(?:post_?master|mailer-?daemon|abuse|support|help|help-?desk|service-?desk|it-?(?:support|service|help)|hostmaster|noc|no-?reply|admin|administrator|sysadmin)@/i;

/** Returns a test that excludes the senders of the mail and of the report, and help desks to which the mail was not addressed. */
function recipientTest(fields: Fields, original: Fields | null): (address: string) => boolean {
  const addressesOf = (header: Fields | null, names: readonly string[]) =>
    names.flatMap((name) => parseAddress(header?.get(name) ?? null) ?? []).map(lowerCase);
  const addressed = lowerCase(original?.get("to") ?? "");
  const senders = new Set([
    ...addressesOf(fields, ["from", "reply-to", "to", "sender", "errors-to"]),
    ...addressesOf(original, ["from", "sender", "reply-to", "return-path", "errors-to"]),
  ]);
  return (address) => {
    const key = lowerCase(address);
    if (addressed.includes(key)) return true;
    return !senders.has(key) && !HELP_DESK.test(key);
  };
}

const HOST = /\b(?:host|talking to|server|relay) ([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8})/i;

/** Adds the status, diagnostic and host of each recipient. A single recipient also takes them from the whole report. */
function toReported(found: readonly Found[], report: readonly string[], action: "failed" | "delayed") {
  const alone = found.length === 1;
  const whole = alone ? report.join("\n") : "";
  return found.map(({ recipient, text, reason }) => {
    const own = alone ? (chooseReason({ text, reason }, report) ?? "") : reason || text;
    return {
      recipient,
      finalRecipient: null,
      action,
      status: findStatus(own),
      diagnostic: oneLine(own),
      remoteMta: parseHost(HOST.exec(text)?.[1] ?? HOST.exec(whole.slice(0, MAX_TEXT))?.[1] ?? null),
      phase: findPhase(own) ?? findPhase(text) ?? findPhase(whole),
    };
  });
}

/** Returns the reason beside the address when it has a code, else the lines of the report with a code or a reason. */
export function chooseReason(
  { text, reason }: Pick<ListedRecipient, "text" | "reason">,
  report: readonly string[],
): string | null {
  if (hasCode(reason)) return reason;
  const given = linesFrom(report, hasCode) ?? (reason || linesFrom(report, givesReason));
  return given ?? (namesReason(text) ? text : linesFrom(report.slice(0, MAX_SEARCHED), namesReason)) ?? (text || null);
}

/** Takes the Message-ID from the enclosed mail, from the text after the report, or from In-Reply-To. */
function findOriginalId(returned: readonly string[], fields: Fields, original: Fields | null): string | null {
  const at = returned.findIndex((line) => /^[\s>|]{0,8}message-id:/i.test(line));
  const quoted = at < 0 ? null : returned.slice(at, at + 2).join(" ");
  return findMessageId(original?.get("message-id") ?? quoted) ?? findMessageId(fields.get("in-reply-to"));
}
