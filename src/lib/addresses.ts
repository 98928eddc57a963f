/** Parses email addresses, for the API, SMTP, the MIME composer, mailboxes and suppressions. */

import { canonicalDomain } from "./address-domain.ts";
import { isPlainUnicode } from "./address-unicode.ts";
import { utf8Length } from "./bytes.ts";

/** A parsed email address in canonical form. */
export interface Address {
  /** `local` + "@" + `domain`, for the envelope and the headers. */
  address: string;
  /** Local part, letter case as written. */
  local: string;
  /** Domain in A-labels, lower case. */
  domain: string;
  /** Key for comparing addresses (duplicates, suppressions, mailboxes): the lower-cased local part, "@", `domain`. */
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
 * Parses a bare addr-spec (RFC 5322 3.4.1), without display name, angle brackets, comments or surrounding space. Returns null when it is
 * not valid.
 *
 * Local part: a dot-atom of at most 64 octets, of ASCII atext and UTF-8 (RFC 6531 3.3) in NFC; text that is not NFC is refused, not
 * converted. Quoted strings and address literals are refused although RFC 5321 allows them, because they are second spellings of a mailbox.
 * Encoded-words are refused because some parsers decode them in an address. Domain: see `canonicalDomain`. The whole address has at most
 * 254 bytes with the domain in A-labels.
 *
 * `key` is lower-cased per code point, so addresses that differ by more than case have different keys (`ı` and `i`, `ß` and `ss`, `ς` and
 * `σ`). Not detected: local parts that look alike, and local parts that the server of the domain treats as one mailbox (plus-labels, dots).
 */
export function parseAddress(input: string): Address | null {
  if (input.length > 2 * MAX_ADDRESS) return null;
  const at = input.lastIndexOf("@");
  const local = input.slice(0, Math.max(at, 0));
  const asciiLocal = /^[\0-\u007f]*$/.test(local);
  if (!DOT_ATOM.test(local) || ENCODED_WORD.test(local) || !(asciiLocal || isPlainUnicode(local))) return null;
  const lower = lowerCase(local);
  if (utf8Length(local) > MAX_LOCAL || utf8Length(lower) > MAX_LOCAL) return null;
  const domain = canonicalDomain(input.slice(at + 1));
  if (domain === null) return null;
  const address = `${local}@${domain}`;
  const key = `${lower}@${domain}`;
  if (utf8Length(address) > MAX_ADDRESS || utf8Length(key) > MAX_ADDRESS) return null;
  return { address, local, domain, key, asciiLocal };
}

/**
 * Returns the key of an address from a source that may contain invalid ones, such as a delivery report. An invalid address
 * is lower-cased as a whole, so it equals no key of a valid one.
 */
export const addressKey = (text: string): string => parseAddress(text)?.key ?? lowerCase(text);

/** Lower-cases ASCII letters only, as lower() of SQLite does. */
export const lowerCaseAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Lower-cases per code point: `toLowerCase` on the whole text converts a Σ at the end of a word to ς. */
export function lowerCase(text: string): string {
  if (/^[\0-\u007f]*$/.test(text)) return text.toLowerCase();
  return Array.from(text, (character) => character.toLowerCase())
    .join("")
    .normalize("NFC");
}

/** Returns a text without case: per code point, through upper case where that is one, so that σ and ς are equal (simple case folding). */
export function foldCase(text: string): string {
  if (/^[\0-\u007f]*$/.test(text)) return text.toLowerCase();
  return Array.from(text, (character) => {
    const upper = character.toUpperCase();
    return (Array.from(upper).length === 1 ? upper : character).toLowerCase();
  })
    .join("")
    .normalize("NFC");
}

/**
 * Formats a mailbox for records and responses: `Name <a@b>`, or the bare address without a name. A name with RFC 5322 specials becomes a
 * quoted string. Control characters in the name become spaces. Not for MIME headers: the text is neither folded nor encoded.
 */
export function formatMailbox(mailbox: { email: string; name?: string | null | undefined }): string {
  const name = (mailbox.name ?? "").replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  if (name === "") return mailbox.email;
  return `${needsQuotes(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : name} <${mailbox.email}>`;
}

const needsQuotes = (name: string): boolean => /[()<>[\]:;@\\,."]/.test(name) || ENCODED_WORD.test(name);
