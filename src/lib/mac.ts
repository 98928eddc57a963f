import { deriveKey, newestKey, type RootKey } from "./derive-key.ts";

async function macUnder(root: RootKey, purpose: string, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", await deriveKey(root, "mac", purpose), data));
}

/** Returns the HMAC-SHA-256 (RFC 2104) of `data` for one purpose, under the newest root key: 32 bytes. */
export async function mac(
  roots: readonly RootKey[],
  purpose: string,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  return macUnder(newestKey(roots), purpose, data);
}

/** Returns whether `candidate` is the MAC of `data` under a root key, whole or cut to 10 bytes or more (RFC 2104 5), in constant time. */
export async function verifyMac(
  roots: readonly RootKey[],
  purpose: string,
  data: Uint8Array<ArrayBuffer>,
  candidate: Uint8Array,
): Promise<boolean> {
  if (candidate.length < 10 || candidate.length > 32) return false;
  let isValid = false;
  for (const root of roots) {
    const expected = await macUnder(root, purpose, data);
    if (crypto.subtle.timingSafeEqual(expected.subarray(0, candidate.length), candidate)) isValid = true;
  }
  return isValid;
}
