import { fromBase64, utf8 } from "./bytes.ts";
import type { RootKey } from "./secret-box.ts";

/** Keys, not promises of them: a promise belongs to the request that made it. */
const macKeys = new Map<string, CryptoKey>();

/** Derives the key of one purpose by HKDF-SHA-256 (RFC 5869); `mac:` keeps it apart from the keys of secret-box.ts. */
async function keyFor(root: RootKey, purpose: string): Promise<CryptoKey> {
  const name = `${purpose} ${root.key}`;
  const known = macKeys.get(name);
  if (known) return known;
  const material = await crypto.subtle.importKey("raw", fromBase64(root.key), "HKDF", false, ["deriveKey"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: utf8(`mac:${purpose}`) };
  const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
  const key = await crypto.subtle.deriveKey(hkdf, material, hmac, false, ["sign"]);
  macKeys.set(name, key);
  return key;
}

async function macUnder(root: RootKey, purpose: string, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", await keyFor(root, purpose), data));
}

/** HMAC-SHA-256 (RFC 2104) of some octets for one purpose, under the current root key: 32 octets. */
export async function mac(
  roots: readonly RootKey[],
  purpose: string,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const root = roots.at(-1);
  if (!root) throw new Error("no master key");
  return macUnder(root, purpose, data);
}

/**
 * Whether `given` is the MAC of the octets, or its first 10 octets or more (RFC 2104 5), under any of the root
 * keys. Compares in constant time.
 */
export async function verifyMac(
  roots: readonly RootKey[],
  purpose: string,
  data: Uint8Array<ArrayBuffer>,
  given: Uint8Array,
): Promise<boolean> {
  if (given.length < 10 || given.length > 32) return false;
  let right = false;
  for (const root of roots) {
    const whole = await macUnder(root, purpose, data);
    if (crypto.subtle.timingSafeEqual(whole.subarray(0, given.length), given)) right = true;
  }
  return right;
}
