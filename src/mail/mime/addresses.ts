import { parseAddress } from "../../lib/addresses.ts";
import { toBinaryString, utf8 } from "../../lib/bytes.ts";
import { cleanName } from "../../lib/text-rules.ts";
import { encodedWords, needsEncoding } from "./encoded-words.ts";
import { ComposeError } from "./errors.ts";
import { firstTokenLimit, foldedField, type HeaderField } from "./headers.ts";
import type { MailboxAddress } from "./message.ts";

const PHRASE_ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;

/** An address header. `utf8` is true when it contains bytes above 127. */
export interface AddressField extends HeaderField {
  readonly utf8: boolean;
}

/**
 * Returns a From, To, Cc or Reply-To field (RFC 5322 3.6.2, 3.6.3). Throws ComposeError `address` for an invalid
 * address, and `smtputf8` for a local part that is not ASCII when the next hop does not support SMTPUTF8.
 */
export function addressField(name: string, mailboxes: readonly MailboxAddress[], smtpUtf8: boolean): AddressField {
  const tokens: string[] = [];
  let utf8 = false;
  mailboxes.forEach((mailbox, i) => {
    const address = formatAddrSpec(mailbox.email, smtpUtf8, name);
    const phrase = encodePhrase(mailbox.name ?? "", i === 0 ? firstTokenLimit(name) : undefined);
    const comma = i < mailboxes.length - 1 ? "," : "";
    tokens.push(...phrase, (phrase.length > 0 ? `<${address.spec}>` : address.spec) + comma);
    utf8 ||= address.utf8;
  });
  return { ...foldedField(name, tokens), utf8 };
}

/**
 * Returns an addr-spec as a binary string (RFC 5322 3.4.1, RFC 6532 3.2). The domain is in A-labels. The local part
 * is UTF-8 when it is not ASCII. Throws the same errors as addressField.
 */
function formatAddrSpec(email: string, smtpUtf8: boolean, field: string): { spec: string; utf8: boolean } {
  const address = parseAddress(email);
  if (!address) throw new ComposeError("address", field, "the address is not valid");
  if (address.asciiLocal) return { spec: address.address, utf8: false };
  if (!smtpUtf8) {
    throw new ComposeError("smtputf8", field, "the local part is not ASCII and the next hop does not offer SMTPUTF8");
  }
  return { spec: toBinaryString(utf8(address.address)), utf8: true };
}

/**
 * Encodes a display name as the tokens of a phrase (RFC 5322 3.2.5, RFC 2047 5): atoms, one quoted-string, or
 * encoded-words. Each run of control characters becomes one space. Invisible characters (text-rules.ts) and white space
 * at the ends are removed. An empty name gives no token. `firstLimit` is the longest first token, in characters.
 */
function encodePhrase(name: string, firstLimit = 75): string[] {
  const clean = cleanName(name);
  if (clean === "") return [];
  if (!needsEncoding(clean) && !clean.includes("  ") && !/[^ ]{64}/.test(clean)) {
    if (PHRASE_ATOMS.test(clean)) return clean.split(" ");
    if (clean.length <= 64) return [`"${clean.replace(/["\\]/g, "\\$&")}"`];
  }
  return encodedWords(clean, firstLimit);
}
