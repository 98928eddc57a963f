import { fromBase64, toBase64, toBase64Url, utf8 } from "./bytes.ts";
import { deriveKey, newestKey, type RootKey } from "./derive-key.ts";

/**
 * Encrypts bytes (AES-256-GCM) under the newest root key. `context` (an id, for example) is authenticated: `open`
 * succeeds with the same context only. Returns `<version>.<iv>.<ciphertext>`, base64.
 */
export async function seal(
  roots: readonly RootKey[],
  purpose: string,
  context: string,
  plain: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const root = newestKey(roots);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const key = await deriveKey(root, "aes", purpose);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: utf8(context) }, key, plain);
  return `${root.version}.${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`;
}

/** Decrypts the result of `seal`. Throws Error when the root key of its version is missing, OperationError when text or context differ. */
export async function open(
  roots: readonly RootKey[],
  purpose: string,
  context: string,
  sealed: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const [version, iv, text] = sealed.split(".");
  const root = roots.find((candidate) => String(candidate.version) === version);
  if (!root || !iv || !text)
    throw new Error(`cannot decrypt a secret for ${purpose}: it is malformed or its key version is not configured`);
  const key = await deriveKey(root, "aes", purpose);
  const algorithm = { name: "AES-GCM", iv: fromBase64(iv), additionalData: utf8(context) };
  return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, fromBase64(text)));
}

/** Returns the HMAC-SHA-256 of a secret by each root key, newest first: store the first, look up by any. Each is `<version>.<base64>`. */
export async function keyedHashes(roots: readonly RootKey[], purpose: string, secret: string): Promise<string[]> {
  const hash = async (root: RootKey) => {
    const mac = await crypto.subtle.sign("HMAC", await deriveKey(root, "hmac", purpose), utf8(secret));
    return `${root.version}.${toBase64(new Uint8Array(mac))}`;
  };
  return Promise.all([...roots].reverse().map(hash));
}

/** Returns a token of 256 random bits, as 43 characters of base64url. */
export const randomToken = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
