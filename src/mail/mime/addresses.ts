import { parseAddress } from "../../lib/addresses.ts";
import { utf8BinaryString } from "./binary-string.ts";
import { encodedWords, needsEncoding } from "./encoded-words.ts";
import { ComposeError } from "./errors.ts";
import { firstTokenLimit, foldedField, type HeaderField } from "./headers.ts";
import type { MailboxAddress } from "./message.ts";

const PHRASE_ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;

/** A header of mailboxes and whether it holds octets above 127. */
export interface AddressField extends HeaderField {
  readonly utf8: boolean;
}

/**
 * From, To, Cc or Reply-To (RFC 5322 3.6.2, 3.6.3). Throws ComposeError `address` for what is no address and
 * `smtputf8` for a local part beyond ASCII when `smtpUtf8` is false.
 */
export function addressField(name: string, boxes: readonly MailboxAddress[], smtpUtf8: boolean): AddressField {
  const tokens: string[] = [];
  let utf8 = false;
  boxes.forEach((box, i) => {
    const address = formatAddrSpec(box.email, smtpUtf8, name);
    const phrase = encodePhrase(box.name ?? "", i === 0 ? firstTokenLimit(name) : undefined);
    const comma = i < boxes.length - 1 ? "," : "";
    tokens.push(...phrase, (phrase.length > 0 ? `<${address.spec}>` : address.spec) + comma);
    utf8 ||= address.utf8;
  });
  return { ...foldedField(name, tokens), utf8 };
}

/**
 * An addr-spec as an octet string (RFC 5322 3.4.1, RFC 6532 3.2), by the reading that all components share: the
 * domain in A-labels, the local part in UTF-8 when it must be. Errors as in addressField.
 */
export function formatAddrSpec(email: string, smtpUtf8: boolean, field: string): { spec: string; utf8: boolean } {
  const address = parseAddress(email);
  if (!address) throw new ComposeError("address", field, "not an address");
  if (address.asciiLocal) return { spec: address.address, utf8: false };
  if (!smtpUtf8) {
    throw new ComposeError("smtputf8", field, "the local part is not ASCII and the next hop does not offer SMTPUTF8");
  }
  return { spec: utf8BinaryString(address.address), utf8: true };
}

/**
 * A display name as tokens of a phrase (RFC 5322 3.2.5, RFC 2047 5): atoms, one quoted-string, or encoded-words.
 * Control characters (also C1 and line separators) and white space at the ends are taken off. Empty gives no token.
 */
export function encodePhrase(name: string, room = 75): string[] {
  const clean = name.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ").trim();
  if (clean === "") return [];
  if (!needsEncoding(clean) && !clean.includes("  ") && !/[^ ]{64}/.test(clean)) {
    if (PHRASE_ATOMS.test(clean)) return clean.split(" ");
    if (clean.length <= 64) return [`"${clean.replace(/["\\]/g, "\\$&")}"`];
  }
  return encodedWords(clean, room);
}
