import { crc32 } from "../lib/crc32.ts";
import { keyedHashes, type RootKey } from "../lib/secret-box.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "svc_k_";
const SECRET_LENGTH = 34;
const CHECKSUM_LENGTH = 6;

/** What API keys are hashed under (lib/secret-box). */
export const API_KEY_PURPOSE = "api-key";

/**
 * A new API key: `svc_k_`, 34 random base62 characters (202 bits) and 6 of checksum, so that a mistyped or
 * cut key is refused without a look-up and a leaked one is found by scanners (decisions 3).
 */
export function newApiKey(): string {
  const secret = randomBase62(SECRET_LENGTH);
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/** A new API key with what its row keeps of it: the part that may be shown again, and the keyed hash. */
export async function mintApiKey(
  masterKeys: readonly RootKey[],
): Promise<{ key: string; prefix: string; hash: string }> {
  const key = newApiKey();
  const [hash] = await keyedHashes(masterKeys, API_KEY_PURPOSE, key);
  if (!hash) throw new Error("no master key");
  return { key, prefix: keyPrefix(key), hash };
}

/** Whether a string has the form of an API key and its checksum is right. */
export function isApiKey(text: string): boolean {
  const body = text.slice(PREFIX.length);
  if (!text.startsWith(PREFIX) || !/^[0-9A-Za-z]{40}$/.test(body)) return false;
  return checksum(body.slice(0, SECRET_LENGTH)) === body.slice(SECRET_LENGTH);
}

/** The part of a key that may be shown again. */
export function keyPrefix(key: string): string {
  return key.slice(0, PREFIX.length + 6);
}

function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the greatest multiple of 62 below 256: anything above would favour the first characters.
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62);
    }
  }
  return text;
}
