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
  const view = new DataView(fields.buffer);
  setUint48(view, 0, link.workspace);
  setUint48(view, 6, link.list);
  fields.set(bytesOfHex(link.contactId), 12);
  setUint48(view, 28, Math.floor(link.expiresAt / 1000));
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
  const view = new DataView(fields.buffer);
  return {
    workspace: uint48(view, 0),
    list: uint48(view, 6),
    contactId: uuidOf(fields.subarray(12, 28)),
    expiresAt: uint48(view, 28) * 1000,
    address: hex(fields.subarray(34, 42)),
    words: hex(fields.subarray(42, 50)),
  };
}

function setUint48(view: DataView, at: number, value: number): void {
  view.setUint16(at, Math.floor(value / 2 ** 32));
  view.setUint32(at + 2, value % 2 ** 32);
}

const uint48 = (view: DataView, at: number) => view.getUint16(at) * 2 ** 32 + view.getUint32(at + 2);
