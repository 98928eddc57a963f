/** Encodes the DSN parameters (RFC 3461 4, RFC 6533 3). Pure. */

/** Encodes text as xtext (RFC 3461 4): `+`, `=` and space become `+HH`. The caller must have checked that it is printable ASCII. */
export const xtext = (text: string): string => text.replace(/[+= ]/g, (char) => `+${hex(char)}`);

/**
 * Encodes an address for ORCPT: `rfc822;` with xtext for ASCII, otherwise `utf-8;` in the seven-bit form
 * (utf-8-addr-xtext, RFC 6533 3), which servers with and without SMTPUTF8 accept.
 */
export function originalRecipient(address: string): string {
  if (/^[\x20-\x7e]*$/.test(address)) return `rfc822;${xtext(address)}`;
  return `utf-8;${address.replace(/[^\x21-\x7e]|[\\+=]/gu, (char) => `\\x{${hex(char)}}`)}`;
}

const hex = (char: string): string => (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, "0");
