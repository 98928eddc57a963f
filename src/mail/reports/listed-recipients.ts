import { lowerCase } from "../../lib/addresses.ts";
import { ADDRESS } from "./values.ts";

/** Lines of text per recipient, and recipients per report. */
const MAX_TEXT_LINES = 12;
const MAX_LISTED = 200;

/** Shapes of lines that name a failed recipient, by mail system, in the order in which they are tried. `text` is the rest of the line. */
const SHAPES: Readonly<Record<string, RegExp>> = {
  // The address alone: Exim, Gmail, Exchange 2007, IIS, Notes, sendmail. With a colon: qmail, Yahoo, Courier.
  "exim, qmail": new RegExp(`^[\\s*•·-]*["<]?(?<address>${ADDRESS})[">]?[:,;]?[\\s*]*$`, "u"),
  "exchange 2010": new RegExp(
    `^\\s*(?!.*\\b(?:contact|help|support|questions|assistance|sender|from|by)\\b)[^@<>]{1,80}[<(\\[](?:mailto:)?(?<address>${ADDRESS})[>)\\]][\\s*]*$`,
    "iu",
  ),
  postfix: new RegExp(`^\\s*<(?<address>${ADDRESS})>(?: \\([^()]*\\))?: +(?<text>.+)$`, "u"),
  exim: new RegExp(`^\\s{1,4}(?<address>${ADDRESS})(?: <[^<>]*>)?: +(?<text>.+)$`, "u"),
  "exchange 2003": new RegExp(`^\\s*(?<address>${ADDRESS}) on \\w{2,9},? .{5,60}$`, "u"),
  sendmail: new RegExp(`^(?<text>\\d{3}[ -](?:\\d\\.\\d\\.\\d )?<?(?<address>${ADDRESS})>?\\.\\.\\. .+)$`, "u"),
  groupwise: new RegExp(`^\\s*(?<address>${ADDRESS}) \\((?<text>.+)\\)$`, "u"),
  labelled: new RegExp(
    `^\\s*(?:final-recipient|original-recipient|(?:failed |intended )?recipient(?: address)?|unknown user|user unknown|addressee) ?: *(?:rfc822; *)?<?(?<address>${ADDRESS})>?(?<text>.*)$`,
    "iu",
  ),
  unknown: new RegExp(`^\\s*<?(?<address>${ADDRESS})>? +\\[(?<text>[^\\]]+)\\]$`, "u"),
  "kddi, mailfoundry": new RegExp(
    `^\\s*(?:could not be delivered to|unable to deliver (?:message|mail) to|undeliverable to|failed to deliver to|rcpt to|failed address|failed recipients?) ?:? *<?(?<address>${ADDRESS})>?(?<text>.*)$`,
    "iu",
  ),
  "active!hunter": new RegExp(`^>>> .*<(?<address>${ADDRESS})>$`, "u"),
  interscan: new RegExp(`^Received >>> (?<text>5\\d\\d .*<(?<address>${ADDRESS})>.*)$`, "u"),
  // The address at the start of a line, then the reason: Zoho, OpenSMTPD and others.
  "zoho, opensmtpd": new RegExp(`^<?(?<address>${ADDRESS})>?(?::| -|,)? +(?!wrote|on |schrieb)(?<text>.{3,})$`, "iu"),
  smail: new RegExp(`^\\s*<(?<address>${ADDRESS})> \\.\\.\\. (?<text>.+)$`, "u"),
};

/** Ends of lines that announce an address other than a recipient. */
const ANNOUNCES_OTHER = /(?:sent by|message from|sender(?: is)?|contact|from|reply to|on behalf of):?$/i;
/** Lines that give no reason for the recipient above them. */
const NOISE = /^\s*(?:[-*=_|#]{3,}|generating server:|>>> (?:helo|ehlo|mail|rcpt|data|bdat|quit|rset)\b)/i;
/** Fields of a copied header. */
const COPIED =
  /^\s*(?:message-id|subject|to|cc|from|sender|sent|date|reply-to|in-reply-to|references|return-path|received|mime-version|dkim-signature|authentication-results|(?:arc|content|list|x|thread|user)-[a-z-]{1,40}):/i;

/** A recipient that a report lists, with the text beside and below its address. */
export interface ListedRecipient {
  recipient: string;
  text: string;
  /** The lines of `text` that are the reply or give the reason; empty when none does. */
  reason: string;
}

/** Returns the recipients that a report lists. A recipient that is listed twice is returned once with both texts. */
export function listedRecipients(lines: readonly string[]): ListedRecipient[] {
  const found = new Map<string, { recipient: string; before: string; text: string[] }>();
  let current: { text: string[] } | null = null;
  let before = "";
  for (const line of lines) {
    const isNoise = NOISE.test(line) || COPIED.test(line);
    const shape = line.includes("@") && !isNoise && !ANNOUNCES_OTHER.test(before) ? matchShape(line) : null;
    if (shape) {
      const key = lowerCase(shape.address);
      const entry = found.get(key) ?? { recipient: shape.address, before, text: [] };
      if (found.size >= MAX_LISTED && !found.has(key)) break;
      found.set(key, entry);
      entry.text.push(shape.text);
      current = entry;
    } else if (current && line !== "" && current.text.length < MAX_TEXT_LINES && !isNoise) {
      current.text.push(line);
    }
    if (line.trim() !== "") before = line.trim();
  }
  return [...found.values()].map(({ recipient, before: heading, text }) => {
    const own = text.join(" ").trim();
    // Lotus Notes writes the reason above the address.
    if (own === "" && givesReason(heading)) return { recipient, text: heading, reason: heading };
    return { recipient, text: own, reason: linesFrom(text, hasCode) ?? linesFrom(text, givesReason) ?? "" };
  });
}

const CODE = /(?<![\d.])[45]\d\d[ -]|(?<![\d.])[45]\.[0-7]\.\d/;
const REASON =
  /unknown|no such|not exist|n.t exist|not found|not listed|not recogni[sz]ed|full\b|quota|disabled|inactive|invalid|見つかりません|存在しません|ありません|容量|不存在|不明|拒否|не найден|не существует/i;

/** Returns whether a line contains a reply code (RFC 5321 4.2) or an enhanced status code (RFC 3463). */
export const hasCode = (line: string): boolean => CODE.test(line);

/** Returns whether a line gives the reason of a failure. */
export const givesReason = (line: string): boolean => hasCode(line) || REASON.test(line);

/** Lines of a reason. */
const MAX_REASON_LINES = 6;
/** Characters at which systems wrap lines. A line that is longer, or shorter even with the next word, was not wrapped. */
const WRAPPED = { from: 64, to: 100 } as const;
const ENDS_REASON = /^\s*(?:[-*=_|#]{3,}|>>>|[^\s@]+@\S+$)/;
/** A line of a reply, or an indented one. */
const CONTINUES = /^\s|^(?:<<< ?)?[245]\d\d[- ]|^diagnostic-code:/i;

/** Returns the first line that passes, with the lines that continue it. Lines beside a reply are no part of it. */
export function linesFrom(lines: readonly string[], test: (line: string) => boolean): string | null {
  const at = lines.findIndex(test);
  if (at < 0) return null;
  const rest = lines.slice(at + 1, at + MAX_REASON_LINES);
  const end = rest.findIndex((line, i) => !isContinued(lines[at + i] ?? "", line));
  return [lines[at] ?? "", ...(end < 0 ? rest : rest.slice(0, end))].join(" ").trim();
}

function isContinued(line: string, next: string): boolean {
  if (next.trim() === "" || ENDS_REASON.test(next) || COPIED.test(next)) return false;
  if (CONTINUES.test(next) || /[:,(]\s*$/.test(line)) return true;
  const word = next.split(" ", 1)[0] ?? "";
  const isWrapped = line.length + word.length >= WRAPPED.from && line.length <= WRAPPED.to;
  return isWrapped && !/[.!?)\]]\s*$/.test(line);
}

function matchShape(text: string): { address: string; text: string } | null {
  // A long indent makes the patterns slow and means the same as a short one.
  const indented = text.replace(/^\s{5,}/, "    ");
  for (const line of Object.values(SHAPES)) {
    const groups = line.exec(indented)?.groups;
    if (groups?.address) return { address: groups.address, text: groups.text ?? "" };
  }
  return null;
}
