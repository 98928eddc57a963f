import {
  ADDRESS_PHRASES,
  CERTAIN_PHRASES,
  CLEAR_ADDRESS_PHRASES,
  DOMAIN_PHRASES,
  UNKNOWN_USER,
  WEAK_ADDRESS_PHRASES,
} from "./failure-phrases.ts";
import { OTHER_REASONS } from "./other-reasons.ts";
import { findPhase, type SmtpPhase } from "./phase.ts";
import type { PhraseRow } from "./phrase-rows.ts";
import { classifyStatus, type FailureClass } from "./status-codes.ts";
import { ADDRESS, findStatuses } from "./values.ts";

/** A failed recipient. */
export interface Failure {
  /** Status of the report; null for a refusal in our own session, whose code is part of the text. */
  status: string | null;
  /** Reply or diagnostic of the remote server. */
  text: string;
  /** Phase of the session; null when only the text can name it. */
  phase: SmtpPhase | null;
}

/** Characters of a text that are classified. */
const MAX_TEXT = 2000;
const MAIL_ADDRESS = new RegExp(ADDRESS, "g");
/** A permanent reply (RFC 5321 4.2.1). */
const REPLY = /(?<![\d.])5\d\d(?![\d.])/;
/** The class of a reply code (RFC 5321 4.2.1) at the beginning, or after a sign or a word that announces a reply. */
const REPLY_CLASS = /(?:^|[:;<>("'[#]|\b(?:said|reply|response|returned|code|error))\s{0,4}([45])[0-5]\d(?=[ -]|$)/gi;
/** Exchange Online puts this before the reply of the remote server. */
const WRAPPER = "remote server returned unknown recipient or mailbox unavailable";

/**
 * Returns what a permanent failure is about. Only evidence about the address itself gives `address`: a bare 550 or
 * 5.1.0 does not. In order: the phase (a refusal before RCPT is never about the recipient), a temporary reply, phrases for another
 * reason, codes of the remote server, the code of the report, phrases about the domain and the address. Pure.
 */
export function classifyFailure({ status, text, phase }: Failure): FailureClass {
  const words = normalize(text);
  const statuses = findStatuses(text);
  // Reports with 5.2.0 name the reply to DATA (docomo's filters say "unknown user" there).
  const at = phase ?? findPhase(text) ?? (status === "5.2.0" && statuses.length === 0 ? "data" : null);
  if (at === "connect" || at === "ehlo" || at === "mail") return "other";
  if (isTemporaryReply(text)) return "other";
  const stated = classBy(CERTAIN_PHRASES, words) ?? classBy(OTHER_REASONS, words);
  if (stated !== null) return stated;
  const remote = classifyRemote(statuses);
  const byCode = remote ?? classifyStatus(status);
  if (byCode === "other") return isUnknownUser(words, status, text) && at !== "data" ? "address" : "other";
  const byWords = classifyWords(words, at);
  if (byWords === "domain") return "domain";
  if (byCode === "domain") return byWords ?? "domain";
  const isWeak = at !== "data" && classBy(WEAK_ADDRESS_PHRASES, words) !== null;
  if (byCode === "address") {
    // sendmail writes 5.1.1 for any 550 to RCPT: without a word about the address, the reply is no evidence.
    const isUnexplained = remote === null && byWords === null && !isWeak && (at === "data" || REPLY.test(text));
    return isUnexplained ? "other" : "address";
  }
  if (byWords !== null) return byWords;
  // 5.1.0 says nothing (RFC 3463 3.2): gateways write it for any refusal, so the reply must name the address.
  const codes = [status ?? "", ...statuses].filter((code) => code.startsWith("5.1."));
  const isAddressCode = codes.some((code) => code !== "5.1.0") || (codes.length > 0 && words.includes("@"));
  return isAddressCode && isWeak ? "address" : "other";
}

/** Codes that servers write for any refusal, also of unknown users (RFC 3463 3.5, 3.8). Other codes say another reason. */
const GENERAL = /^5\.(?:7\.1|4\.[01])$/;

function isUnknownUser(words: string, status: string | null, text: string): boolean {
  const found = findStatuses(text);
  const codes = found.length > 0 ? found : [status];
  const isGeneral = (code: string | null) => GENERAL.test(code ?? "") || classifyStatus(code) !== "other";
  return classBy(UNKNOWN_USER, words) !== null && codes.every(isGeneral);
}

/** Returns whether the replies of a text are temporary ones only: such a server has not said that the address does not work. */
function isTemporaryReply(text: string): boolean {
  const classes = Array.from(text.slice(0, MAX_TEXT).matchAll(REPLY_CLASS), ([, digit]) => digit);
  const isPermanent =
    classes.includes("5") || findStatuses(text).some((code) => code[0] === "5" && classifyStatus(code));
  return classes.includes("4") && !isPermanent;
}

/** Returns the class that suppresses least of the remote server's codes: a 5.2.2 inside of a 5.1.1 is a full mailbox. */
function classifyRemote(statuses: readonly string[]): FailureClass | null {
  const classes = statuses.map(classifyStatus);
  return (["other", "address", "domain"] as const).find((one) => classes.includes(one)) ?? null;
}

function classifyWords(words: string, phase: SmtpPhase | null): FailureClass | null {
  const clear = classBy(DOMAIN_PHRASES, words) ?? classBy(CLEAR_ADDRESS_PHRASES, words);
  return clear ?? (phase === "data" ? null : classBy(ADDRESS_PHRASES, words));
}

/** Returns whether a text gives a reason that one of the tables contains. */
export function namesReason(text: string): boolean {
  const words = normalize(text);
  const tables = [ADDRESS_PHRASES, CLEAR_ADDRESS_PHRASES, DOMAIN_PHRASES, OTHER_REASONS];
  return tables.some((table) => classBy(table, words) !== null);
}

/** Returns the class of the first row whose pattern matches. */
const classBy = (table: readonly PhraseRow[], words: string) =>
  table.find(({ pattern }) => pattern.test(words))?.class ?? null;

/** Names of hosts and addresses are no reasons, whatever words they contain. */
function normalize(text: string): string {
  return replaceHosts(text.slice(0, MAX_TEXT).normalize("NFKC").replace(MAIL_ADDRESS, "@"))
    .toLowerCase()
    .replaceAll("\u2019", "'")
    .replace(/\b[2-5]\d\d-(?=[245]\.\d)/g, " ")
    .replaceAll(/<@>|"@"/g, "@")
    .replace(/\s+/g, " ")
    .replace(WRAPPER, "")
    .trim();
}

/** Labels of a name whose top-level domain has one case, unlike the last word of most Exchange codes (`RESOLVER.RST.NotAuthorized`). */
const NAME =
  /(?<![\w@.-])(?!(?:resolver|storedrv|transport|smtpsend|queue|agent|RESOLVER|STOREDRV|TRANSPORT|SMTPSEND|QUEUE|AGENT)\.)(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.){1,8}(?:[a-z]{2,24}|[A-Z]{2,24})(?![\w-]|\.\w)/g;
/** Words before the name of a host. Other names with one dot may be two sentences without a space between them. */
const INTRODUCES =
  /(?:\b(?:host|server|relay|domain|mta|gateway|talking to|at|by|from|to|on|visit|see)[:=]? ?|\/\/|[<([;])$/i;
const IS_ADDRESS = /^\.? ?[[(]\d/;
const BLOCK_LISTS = /spamhaus|spamcop|barracudacentral|dnsbl|\brbl|sorbs|uceprotect|surbl/i;

/** Replaces the names of hosts in a text by `%`. Names of block lists stay: they are the reason of a refusal. */
function replaceHosts(text: string): string {
  return text.replace(NAME, (name, at: number) => {
    const isHost =
      /\..*\./.test(name) ||
      IS_ADDRESS.test(text.slice(at + name.length, at + name.length + 4)) ||
      INTRODUCES.test(text.slice(Math.max(0, at - 20), at));
    return isHost && !BLOCK_LISTS.test(name) ? "%" : name;
  });
}
