/** Validates the addresses of MAIL FROM and RCPT TO (RFC 5321 4.1.2, RFC 6531 3.3). Pure. */

import { utf8Length } from "../../lib/bytes.ts";

/** An address for MAIL FROM or RCPT TO: local part as given, domain as A-labels. */
export interface WireAddress {
  address: string;
  /** False when the local part needs SMTPUTF8. */
  ascii: boolean;
}

const LOCAL_MAX_BYTES = 64;
const PATH_MAX_BYTES = 254;
/** A dot-string, with dots in any place: such addresses exist and are harmless. */
const BARE_LOCAL = /^[^\x00-\x20\x7f-\x9f\s"(),:;<>@[\\\]]+$/u;
/** A quoted string without spaces and angle brackets, which many servers parse wrongly. */
const QUOTED_LOCAL = /^"(?:[^\x00-\x20\x7f-\x9f\s"\\<>]|\\[!-;=?-~])*"$/u;
const ASCII_DOMAIN = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?$/;
const UNICODE_DOMAIN = /^(?:[A-Za-z0-9._-]|[^\x00-\x9f\s])+$/u;
const DOMAIN_LITERAL = /^\[(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|IPv6:[0-9A-Fa-f:.]{2,45})\]$/;

/**
 * Validates an address and converts its domain to A-labels. Returns null for control characters, spaces, angle brackets,
 * lone surrogates, a missing part, a local part over 64 bytes or an address over 254.
 */
export function toWireAddress(address: string): WireAddress | null {
  const at = address.lastIndexOf("@");
  if (at < 1 || !address.isWellFormed()) return null;
  const local = address.slice(0, at);
  if (!BARE_LOCAL.test(local) && !QUOTED_LOCAL.test(local)) return null;
  const domain = toALabels(address.slice(at + 1));
  if (domain === null || utf8Length(local) > LOCAL_MAX_BYTES) return null;
  const wire = `${local}@${domain}`;
  if (utf8Length(wire) > PATH_MAX_BYTES) return null;
  return { address: wire, ascii: isAscii(local) };
}

/** Returns whether a text is ASCII. */
const isAscii = (text: string): boolean => !/[^\x00-\x7f]/.test(text);

function toALabels(domain: string): string | null {
  if (ASCII_DOMAIN.test(domain) || DOMAIN_LITERAL.test(domain)) return domain;
  if (isAscii(domain) || !UNICODE_DOMAIN.test(domain)) return null;
  const host = URL.parse(`http://${domain}/`)?.hostname ?? "";
  // URL turns full-width digits into an IPv4 address.
  return ASCII_DOMAIN.test(host) && /[^0-9.]/.test(host) ? host : null;
}
