/** Mail addresses: the one reading of them that API, SMTP, MIME builder, mailboxes and suppressions share. */

import { canonicalDomain } from "./address-domain.ts";
import { isPlainUnicode } from "./address-unicode.ts";
import { utf8Length } from "./bytes.ts";

/** One mail address that means the same mailbox to every component. */
export interface Address {
  /** `local` + "@" + `domain`: what goes into the envelope and the headers. */
  address: string;
  /** Local part, letter case as written. */
  local: string;
  /** Domain in A-labels, lower case. */
  domain: string;
  /** The form by which duplicates, suppressions and mailboxes compare: the lower-cased local part, "@", `domain`. */
  key: string;
  /** False when the address needs SMTPUTF8 (RFC 6531). */
  asciiLocal: boolean;
}

/** Limits in octets (RFC 5321 4.5.3.1 and erratum 1690 of RFC 3696). */
const MAX_LOCAL = 64;
const MAX_ADDRESS = 254;

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+";
const DOT_ATOM = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, "u");
const ENCODED_WORD = /=\?.*\?=/;

/**
 * Reads one address as an API caller writes it: a bare addr-spec (RFC 5322 3.4.1), without display name,
 * angle brackets, comments or surrounding space. Null when it is not one.
 *
 * Local part: a dot-atom of at most 64 octets, of ASCII atext and UTF-8 (RFC 6531 3.3) in NFC; text that is
 * not NFC is refused rather than changed. Also refused, though RFC 5321 allows them: quoted strings and
 * address literals (two spellings of one mailbox), and encoded-words, which some parsers decode in an address.
 * Domain: see `canonicalDomain`. The whole: at most 254 octets with the domain in A-labels.
 *
 * `key` lower-cases code point by code point, so it never joins what differs by more than case (`ı` and `i`,
 * `ß` and `ss`, `ς` and `σ` stay apart). Not covered: local parts that look alike, and what the domain's own
 * server takes as one mailbox (plus-labels, dots).
 */
export function parseAddress(input: string): Address | null {
  if (input.length > 2 * MAX_ADDRESS) return null;
  const at = input.lastIndexOf("@");
  const local = input.slice(0, Math.max(at, 0));
  const asciiLocal = /^[\0-\u007f]*$/.test(local);
  if (!DOT_ATOM.test(local) || ENCODED_WORD.test(local) || !(asciiLocal || isPlainUnicode(local))) return null;
  const lower = asciiLocal ? local.toLowerCase() : lowerCase(local);
  if (utf8Length(local) > MAX_LOCAL || utf8Length(lower) > MAX_LOCAL) return null;
  const domain = canonicalDomain(input.slice(at + 1));
  if (domain === null) return null;
  const address = `${local}@${domain}`;
  const key = `${lower}@${domain}`;
  if (utf8Length(address) > MAX_ADDRESS || utf8Length(key) > MAX_ADDRESS) return null;
  return { address, local, domain, key, asciiLocal };
}

/** Per code point: `toLowerCase` on the whole would give Σ another form at the end of a word. */
function lowerCase(text: string): string {
  return Array.from(text, (character) => character.toLowerCase())
    .join("")
    .normalize("NFC");
}

/**
 * The display form that records and answers carry: `Name <a@b>`, or the bare address without a name. A name
 * with RFC 5322 specials becomes a quoted string. For the wire the MIME builder folds and encodes; this does
 * not. Control characters in the name become spaces.
 */
export function formatMailbox(mailbox: { email: string; name?: string | null | undefined }): string {
  const name = (mailbox.name ?? "").replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  if (name === "") return mailbox.email;
  return `${needsQuotes(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : name} <${mailbox.email}>`;
}

function needsQuotes(name: string): boolean {
  return /[()<>[\]:;@\\,."]/.test(name) || ENCODED_WORD.test(name);
}
