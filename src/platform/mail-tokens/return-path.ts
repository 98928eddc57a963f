/**
 * Signed addresses to which other systems write about an email (VERP; docs/contract/delivery.md#return-path): the return path,
 * and the address of a mailto unsubscribe (RFC 2369 3.2). A forward has a return path of its own kind, with the id of the inbound
 * email.
 *
 * Local part: `b`, `f` or `u`, then a base32 token: 57 of the 64 bytes that RFC 5321 4.5.3.1.1 allows. Letter case does not
 * matter, because some systems change it.
 */

import type { RootKey } from "../../lib/derive-key.ts";
import { fromBase32, toBase32 } from "./base32.ts";
import { type MailReference, readToken, signToken, type TokenFormat } from "./codec.ts";

type Kind = "b" | "f" | "u";

const formatOf = (purpose: string): TokenFormat => ({
  purpose,
  recipientBytes: 3,
  encode: toBase32,
  decode: fromBase32,
});

const FORMATS: Record<Kind, TokenFormat> = {
  b: formatOf("return-path"),
  f: formatOf("forward-path"),
  u: formatOf("unsubscribe-address"),
};
const LOCAL_PART = /^([bBfFuU])([A-Za-z2-7]{56})$/;

/** Returns the return path (RFC 5321 4.4) of an email. Throws when the reference is not an email's recipient. */
export function newReturnPath(roots: readonly RootKey[], mail: MailReference, bounceDomain: string): Promise<string> {
  return newAddress(roots, "b", mail, bounceDomain);
}

/** Reads a return path or its local part. Returns null when the address is no return path or its MAC is wrong. */
export function readReturnPath(roots: readonly RootKey[], address: string): Promise<MailReference | null> {
  return readAddress(roots, "b", address);
}

/** Returns the return path of a forward: `emailId` is that of the inbound email, `recipient` the number of the forward. */
export function newForwardPath(roots: readonly RootKey[], mail: MailReference, bounceDomain: string): Promise<string> {
  return newAddress(roots, "f", mail, bounceDomain);
}

/** Reads the return path of a forward. Returns null for any other address, and when the MAC is wrong. */
export function readForwardPath(roots: readonly RootKey[], address: string): Promise<MailReference | null> {
  return readAddress(roots, "f", address);
}

/** Returns the address of a mailto unsubscribe. Throws when the reference is not an email's recipient. */
export function newUnsubscribeAddress(roots: readonly RootKey[], mail: MailReference, domain: string): Promise<string> {
  return newAddress(roots, "u", mail, domain);
}

/** Returns the URL of the page that unsubscribes a recipient. It carries the token of the mailto address. */
export async function newUnsubscribeUrl(
  roots: readonly RootKey[],
  mail: MailReference,
  publicUrl: string,
): Promise<string> {
  return `${publicUrl}/u/u${await signToken(roots, FORMATS.u, mail)}`;
}

/** Reads an unsubscribe address. Returns null for any other address (a return path too), and when the MAC is wrong. */
export function readUnsubscribeAddress(roots: readonly RootKey[], address: string): Promise<MailReference | null> {
  return readAddress(roots, "u", address);
}

/** Returns whether an address has the form of a return path or an unsubscribe address. Does not check its MAC. */
export function isSignedAddress(address: string): boolean {
  return LOCAL_PART.test(address.slice(0, Math.max(0, address.lastIndexOf("@"))));
}

async function newAddress(roots: readonly RootKey[], kind: Kind, mail: MailReference, domain: string): Promise<string> {
  return `${kind}${await signToken(roots, FORMATS[kind], mail)}@${domain}`;
}

async function readAddress(roots: readonly RootKey[], kind: Kind, address: string): Promise<MailReference | null> {
  const at = address.lastIndexOf("@");
  const localPart = LOCAL_PART.exec(at < 0 ? address : address.slice(0, at));
  if (localPart?.[1]?.toLowerCase() !== kind) return null;
  return (await readToken(roots, FORMATS[kind], localPart[2] ?? ""))?.reference ?? null;
}
