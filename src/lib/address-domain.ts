/** Canonical form of the domain of an email address (RFC 5321 4.1.2, RFC 5890, UTS 46). */

import { domainToUnicode } from "node:url";
import { isPlainUnicode } from "./address-unicode.ts";

const MAX_DOMAIN = 253;
const LDH_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** A last label that the URL parser reads as part of an IPv4 address. */
const NUMBER_LABEL = /^(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * Converts a domain in U-labels or A-labels to A-labels in lower case. Returns null when it is not a domain name of at least two labels, or
 * when two components could read it differently: a trailing dot, an address literal, IPv4 in any notation, an underscore, percent-encoding,
 * a port, text that is not NFC, a character that IDNA maps to another one except upper case (full-width, circled and ligature forms,
 * ideographic dots), or one that IDNA removes (soft hyphen, zero-width characters; ZWJ and ZWNJ are accepted within an A-label only).
 *
 * Not checked: labels that look like others, of mixed or another script (`xn--80ak6aa92e`), and whether a registry allows the name (UTS 46
 * allows emoji, IDNA 2008 does not).
 */
export function canonicalDomain(domain: string): string | null {
  if (domain.length > 2 * MAX_DOMAIN) return null;
  const ascii = /^[A-Za-z0-9.-]+$/.test(domain) ? domain.toLowerCase() : unicodeToALabels(domain);
  if (ascii === null || ascii.length > MAX_DOMAIN) return null;
  const labels = ascii.split(".");
  if (labels.length < 2 || NUMBER_LABEL.test(labels.at(-1) ?? "")) return null;
  return labels.every((label) => LDH_LABEL.test(label) && isCanonicalLabel(label)) ? ascii : null;
}

/** Converts U-labels to A-labels. Returns null unless every U-label converts back to its original text, except case. */
function unicodeToALabels(domain: string): string | null {
  if (!isPlainUnicode(domain)) return null;
  const labels = Array.from(domain, lowerCaseCharacter).join("").normalize("NFC").split(".");
  const ascii = toAscii(labels.join("."))?.split(".");
  if (ascii?.length !== labels.length) return null;
  const same = labels.every((label, i) => label === ascii[i] || label === domainToUnicode(ascii[i] ?? ""));
  return same ? ascii.join(".") : null;
}

/** Returns a part of an address with the U-labels behind its `@`, or all of it, as A-labels. Null when they are no labels. */
export function inALabels(text: string): string | null {
  const at = text.lastIndexOf("@") + 1;
  const domain = unicodeToALabels(text.slice(at));
  return domain === null ? null : text.slice(0, at) + domain;
}

/** Returns an address in canonical form with the labels of its domain as people read them. */
export function inUnicode(key: string): string {
  const at = key.lastIndexOf("@") + 1;
  return key.slice(0, at) + domainToUnicode(key.slice(at));
}

/** Lower-cases one character. Splits the vowels SARA AM of Thai and AM of Lao as IDNA does (UTS 46 mapping). */
function lowerCaseCharacter(character: string): string {
  if (character === "\u0e33") return "\u0e4d\u0e32";
  if (character === "\u0eb3") return "\u0ecd\u0eb2";
  return character.toLowerCase();
}

/** Returns whether a label is not an A-label, or is the canonical Punycode of its U-label. */
function isCanonicalLabel(label: string): boolean {
  if (!label.startsWith("xn--")) return true;
  const unicode = domainToUnicode(label);
  // For an invalid label workerd returns the label, and Node an empty text.
  return unicode !== label && !/^-|-$/.test(unicode) && toAscii(`${unicode}.test`) === `${label}.test`;
}

/** Converts to A-labels with the URL parser. Returns null for other ASCII than letters, digits, dots and hyphens. */
function toAscii(domain: string): string | null {
  if (/[^a-z0-9.\u0080-\u{10ffff}-]/u.test(domain)) return null;
  return URL.parse(`http://${domain}`)?.hostname ?? null;
}
