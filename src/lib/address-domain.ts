/** The domain of a mail address in its one canonical form (RFC 5321 4.1.2, RFC 5890, UTS 46). */

import { decodePunycode } from "./address-punycode.ts";
import { isPlainUnicode } from "./address-unicode.ts";

const MAX_DOMAIN = 253;
const LDH_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** What the URL parser takes for the last part of an IPv4 address. */
const NUMBER_LABEL = /^(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * Brings a domain as a person or a program writes it, in U-labels or A-labels, to A-labels in lower case.
 * Null when it is not a domain name of at least two labels, or when any component could read it otherwise:
 * no trailing dot, address literal, IPv4 in any notation, underscore, percent-encoding or port; no character
 * that IDNA maps to another one except upper case (full-width, circled and ligature forms, ideographic dots)
 * or drops (soft hyphen, zero-width characters, so ZWJ and ZWNJ only within an A-label); not NFC: refused.
 *
 * Not covered: labels that merely look like others, of mixed or foreign script (`xn--80ak6aa92e`), and
 * whether a registry would sell the name (UTS 46 takes emoji, IDNA 2008 does not).
 */
export function canonicalDomain(domain: string): string | null {
  if (domain.length > 2 * MAX_DOMAIN) return null;
  const ascii = /^[A-Za-z0-9.-]+$/.test(domain) ? domain.toLowerCase() : asciiOfUnicode(domain);
  if (ascii === null || ascii.length > MAX_DOMAIN) return null;
  const labels = ascii.split(".");
  if (labels.length < 2 || NUMBER_LABEL.test(labels.at(-1) ?? "")) return null;
  return labels.every((label) => LDH_LABEL.test(label) && isFaithful(label)) ? ascii : null;
}

/** The A-label form, only when every U-label reads back as it was written, but for case. */
function asciiOfUnicode(domain: string): string | null {
  if (!isPlainUnicode(domain)) return null;
  const labels = Array.from(domain, lowerOf).join("").normalize("NFC").split(".");
  const ascii = toAscii(labels.join("."))?.split(".");
  if (ascii?.length !== labels.length) return null;
  const same = labels.every((label, i) => label === ascii[i] || label === unicodeOf(ascii[i] ?? ""));
  return same ? ascii.join(".") : null;
}

/** Lower case without regard to neighbours, and the vowels AM as IDNA spells what Thai and Lao keyboards type. */
function lowerOf(character: string): string {
  if (character === "\u0e33") return "\u0e4d\u0e32";
  if (character === "\u0eb3") return "\u0ecd\u0eb2";
  return character.toLowerCase();
}

/** An A-label must be the one Punycode spelling of a U-label; other labels speak for themselves. */
function isFaithful(label: string): boolean {
  if (!label.startsWith("xn--")) return true;
  const unicode = unicodeOf(label);
  return unicode !== null && !/^-|-$/.test(unicode) && toAscii(`${unicode}.test`) === `${label}.test`;
}

function unicodeOf(label: string): string | null {
  return label.startsWith("xn--") ? decodePunycode(label.slice(4)) : null;
}

/** Only for text that holds no ASCII beyond letters, digits, dots and hyphens: the URL parser reads far more. */
function toAscii(domain: string): string | null {
  if (/[^a-z0-9.\u0080-\u{10ffff}-]/u.test(domain)) return null;
  return URL.parse(`http://${domain}`)?.hostname ?? null;
}
