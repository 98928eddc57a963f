import { concat, fromBase64Url, toBase64Url } from "../../lib/bytes.ts";
import type { RootKey } from "../../lib/derive-key.ts";
import { bytesOfHex, hex, uuidOf } from "../../lib/ids.ts";
import { mac, verifyMac } from "../../lib/mac.ts";

/** Tokens in the addresses of forms, in base64url. Bytes: workspace number (6), id of the form (16), MAC (11). They never expire. */
const PURPOSE = "contact-form";
const FIELD_BYTES = 22;
const MAC_BYTES = 11;
const CHARACTERS = 44;

/** A form, as its token names it. */
export interface FormReference {
  workspace: number;
  id: string;
}

/** Returns the token of a form, signed with the newest root key. Tokens of older keys stay valid. */
export async function newFormToken(roots: readonly RootKey[], { workspace, id }: FormReference): Promise<string> {
  const fields = bytesOfHex(workspace.toString(16).padStart(12, "0") + id);
  const whole = await mac(roots, PURPOSE, fields);
  return toBase64Url(concat([fields, whole.subarray(0, MAC_BYTES)]));
}

/** Reads a token. Returns null for a text that this service did not sign. */
export async function readFormToken(roots: readonly RootKey[], token: string): Promise<FormReference | null> {
  if (token.length !== CHARACTERS) return null;
  const bytes = fromBase64Url(token);
  if (bytes?.length !== FIELD_BYTES + MAC_BYTES) return null;
  const fields = bytes.slice(0, FIELD_BYTES);
  if (!(await verifyMac(roots, PURPOSE, fields, bytes.subarray(FIELD_BYTES)))) return null;
  return { workspace: Number.parseInt(hex(fields.subarray(0, 6)), 16), id: uuidOf(fields.subarray(6)) };
}
