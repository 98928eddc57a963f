import { Buffer } from "node:buffer";
import { concat, fromBase64Url, toBase64Url, utf8 } from "../../lib/bytes.ts";
import type { RootKey } from "../../lib/derive-key.ts";
import { bytesOfHex, hex, uuidOf } from "../../lib/ids.ts";
import { mac, verifyMac } from "../../lib/mac.ts";

/**
 * Tokens of the links in confirmation mails, in base64url. Bytes: workspace number (6), contact_lists.n (6), contact id (16), end of
 * validity in seconds since 1970 (6), hash of the canonical address (8), version of the words (8), MAC (16).
 */
const PURPOSE = "contact-confirmation";
const FIELD_BYTES = 50;
const MAC_BYTES = 16;
const CHARACTERS = 88;

/** A contact with this address, which a link confirms by these words. */
export interface ConfirmationLink {
  workspace: number;
  list: number;
  contactId: string;
  /** Milliseconds since 1970, in whole seconds. */
  expiresAt: number;
  /** `addressHash` of the canonical address. */
  address: string;
  /** Version of the words of the mail. */
  words: string;
}

/** Returns 16 hexadecimal digits of the SHA-256 of a text. */
export async function shortHash(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text))).subarray(0, 8));
}

/** Returns the token of a link, signed with the newest root key. */
export async function newConfirmationToken(roots: readonly RootKey[], link: ConfirmationLink): Promise<string> {
  const fields = new Uint8Array(FIELD_BYTES);
  const numbers = Buffer.from(fields.buffer);
  numbers.writeUIntBE(link.workspace, 0, 6);
  numbers.writeUIntBE(link.list, 6, 6);
  fields.set(bytesOfHex(link.contactId), 12);
  numbers.writeUIntBE(Math.floor(link.expiresAt / 1000), 28, 6);
  fields.set(bytesOfHex(link.address), 34);
  fields.set(bytesOfHex(link.words), 42);
  const whole = await mac(roots, PURPOSE, fields);
  return toBase64Url(concat([fields, whole.subarray(0, MAC_BYTES)]));
}

/** Reads a token, also one that has expired. Returns null for a text that this service did not sign. */
export async function readConfirmationToken(
  roots: readonly RootKey[],
  token: string,
): Promise<ConfirmationLink | null> {
  if (token.length !== CHARACTERS) return null;
  const bytes = fromBase64Url(token);
  if (bytes?.length !== FIELD_BYTES + MAC_BYTES) return null;
  const fields = bytes.slice(0, FIELD_BYTES);
  if (!(await verifyMac(roots, PURPOSE, fields, bytes.subarray(FIELD_BYTES)))) return null;
  const numbers = Buffer.from(fields.buffer);
  return {
    workspace: numbers.readUIntBE(0, 6),
    list: numbers.readUIntBE(6, 6),
    contactId: uuidOf(fields.subarray(12, 28)),
    expiresAt: numbers.readUIntBE(28, 6) * 1000,
    address: hex(fields.subarray(34, 42)),
    words: hex(fields.subarray(42, 50)),
  };
}
