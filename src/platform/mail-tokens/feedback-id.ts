/**
 * Signed values of CFBL-Feedback-ID (RFC 9477 3.3), by which the report of a mailbox provider names an email and its recipient: a
 * base32 token of 56 characters, which are atext (RFC 9477 4.2) and contain no address.
 */

import type { RootKey } from "../../lib/derive-key.ts";
import { fromBase32, toBase32 } from "./base32.ts";
import { type MailReference, readToken, signToken, type TokenFormat } from "./codec.ts";

const FORMAT: TokenFormat = {
  purpose: "cfbl-feedback-id",
  recipientBytes: 3,
  encode: toBase32,
  decode: fromBase32,
};
const TOKEN = /^[A-Za-z2-7]{56}$/;
/** Characters of a field that are read: a token that others have folded. */
const MAX_CHARACTERS = 1_000;

/** Returns the value of CFBL-Feedback-ID of an email. Throws when the reference is not an email's recipient. */
export function newFeedbackId(roots: readonly RootKey[], mail: MailReference): Promise<string> {
  return signToken(roots, FORMAT, mail);
}

/** Reads a value of CFBL-Feedback-ID, whose white space is ignored (RFC 9477 4.2). Returns null when this service did not sign it. */
export async function readFeedbackId(roots: readonly RootKey[], value: string): Promise<MailReference | null> {
  const token = value.slice(0, MAX_CHARACTERS).replace(/\s+/g, "");
  if (!TOKEN.test(token)) return null;
  return (await readToken(roots, FORMAT, token))?.reference ?? null;
}
