import { crc32 } from "node:zlib";
import type { RootKey } from "../../lib/derive-key.ts";
import { keyedHashes } from "../../lib/secret-box.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "svc_k_";
const SECRET_LENGTH = 34;
const CHECKSUM_LENGTH = 6;

/** Purpose under which API keys are hashed (lib/secret-box). */
export const API_KEY_PURPOSE = "api-key";

/**
 * Returns a new API key: `svc_k_`, 34 random base62 characters (202 bits) and 6 of checksum. The checksum rejects mistyped and
 * truncated keys without a query; the format lets secret scanners find leaked keys (docs/contract/scopes.md#api-keys).
 */
export function newApiKey(): string {
  const secret = randomBase62(SECRET_LENGTH);
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/** Returns a new API key with the values stored in its row: the prefix, which may be displayed, and the keyed hash. */
export async function mintApiKey(
  masterKeys: readonly RootKey[],
): Promise<{ key: string; prefix: string; hash: string }> {
  const key = newApiKey();
  const [hash] = await keyedHashes(masterKeys, API_KEY_PURPOSE, key);
  if (!hash) throw new Error("no master key");
  return { key, prefix: keyPrefix(key), hash };
}

/** Returns whether a string has the format of an API key and a correct checksum. */
export function isApiKey(text: string): boolean {
  const body = text.slice(PREFIX.length);
  if (!text.startsWith(PREFIX) || !/^[0-9A-Za-z]{40}$/.test(body)) return false;
  return checksum(body.slice(0, SECRET_LENGTH)) === body.slice(SECRET_LENGTH);
}

/** Returns the first characters of a key, which may be displayed. */
export const keyPrefix = (key: string): string => key.slice(0, PREFIX.length + 6);

function checksum(secret: string): string {
  let remainder = crc32(secret);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET.charAt(remainder % 62) + text;
    remainder = Math.floor(remainder / 62);
  }
  return text;
}

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 below 256: bytes above it would make the first characters more likely.
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62);
    }
  }
  return text;
}
