/**
 * The codec of signed references to an email: return paths, unsubscribe addresses and tracking tokens.
 *
 * Bytes: workspace number (6), email id (16), recipient index (1 or 3), MAC (10), then an optional payload. The MAC
 * covers everything except itself. The layout is fixed: tokens in delivered mail must stay readable.
 */

import { concat } from "../../lib/bytes.ts";
import type { RootKey } from "../../lib/derive-key.ts";
import { bytesOfHex, isUuid, uuidOf } from "../../lib/ids.ts";
import { mac, verifyMac } from "../../lib/mac.ts";

/** The email, and the recipient of it, that a token refers to. */
export interface MailReference {
  /** Number of the workspace. */
  workspace: number;
  emailId: string;
  /** Index of the recipient; `all` when several recipients got the same message. */
  recipient: number | "all";
}

/** One kind of token. */
export interface TokenFormat {
  /** Purpose of the MAC key. A token of one purpose never verifies as another. */
  purpose: string;
  /** Bytes of the recipient index. All ones means `all`. */
  recipientBytes: 1 | 3;
  encode: (bytes: Uint8Array) => string;
  /** Returns null for text outside the alphabet. */
  decode: (text: string) => Uint8Array<ArrayBuffer> | null;
}

const ID_BYTES = 22;
const MAC_BYTES = 10;
const MAX_WORKSPACE = 2 ** 48 - 1;

/** Bytes of a token without its payload. */
export const headBytes = ({ recipientBytes }: TokenFormat): number => ID_BYTES + recipientBytes + MAC_BYTES;

/** Returns a token, signed with the newest root key; equal input gives equal text. Throws a RangeError for a malformed reference. */
export async function signToken(
  roots: readonly RootKey[],
  format: TokenFormat,
  reference: MailReference,
  payload: Uint8Array = new Uint8Array(0),
): Promise<string> {
  const fields = encodeReference(reference, format.recipientBytes);
  const whole = await mac(roots, format.purpose, concat([fields, payload]));
  return format.encode(concat([fields, whole.subarray(0, MAC_BYTES), payload]));
}

/** Reads a token that any of the root keys signed. Returns null for any other text. */
export async function readToken(
  roots: readonly RootKey[],
  format: TokenFormat,
  text: string,
): Promise<{ reference: MailReference; payload: Uint8Array<ArrayBuffer> } | null> {
  const bytes = format.decode(text);
  const fieldBytes = ID_BYTES + format.recipientBytes;
  if (!bytes || bytes.length < fieldBytes + MAC_BYTES) return null;
  const fields = bytes.slice(0, fieldBytes);
  const payload = bytes.slice(fieldBytes + MAC_BYTES);
  const given = bytes.subarray(fieldBytes, fieldBytes + MAC_BYTES);
  if (!(await verifyMac(roots, format.purpose, concat([fields, payload]), given))) return null;
  return { reference: decodeReference(fields), payload };
}

function encodeReference(
  { workspace, emailId, recipient }: MailReference,
  recipientBytes: number,
): Uint8Array<ArrayBuffer> {
  const all = 256 ** recipientBytes - 1;
  const index = recipient === "all" ? all : recipient;
  const isValid =
    isWithin(workspace, MAX_WORKSPACE) && isUuid(emailId) && (recipient === "all" || isWithin(index, all - 1));
  if (!isValid) throw new RangeError("the reference is not an email's recipient");
  const fields = new Uint8Array(ID_BYTES + recipientBytes);
  const view = new DataView(fields.buffer);
  view.setUint16(0, Math.floor(workspace / 2 ** 32));
  view.setUint32(2, workspace % 2 ** 32);
  fields.set(bytesOfHex(emailId), 6);
  for (let i = 0; i < recipientBytes; i++) fields[ID_BYTES + i] = (index >> (8 * (recipientBytes - 1 - i))) & 0xff;
  return fields;
}

const isWithin = (value: number, most: number) => Number.isInteger(value) && value >= 0 && value <= most;

function decodeReference(fields: Uint8Array<ArrayBuffer>): MailReference {
  const view = new DataView(fields.buffer);
  const index = fields.subarray(ID_BYTES).reduce((sum, byte) => sum * 256 + byte, 0);
  const all = 256 ** (fields.length - ID_BYTES) - 1;
  return {
    workspace: view.getUint16(0) * 2 ** 32 + view.getUint32(2),
    emailId: uuidOf(fields.subarray(6, ID_BYTES)),
    recipient: index === all ? "all" : index,
  };
}
