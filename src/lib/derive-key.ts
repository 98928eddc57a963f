import { fromBase64, utf8 } from "./bytes.ts";

/** A root key and its version. The last one of a list encrypts and hashes new values; all of them open old ones. */
export interface RootKey {
  version: number;
  /** Base64 of 32 bytes. */
  key: string;
}

/** Algorithms of derived keys. `info` keeps the keys of different uses apart (RFC 5869 3.2). */
const kinds = {
  aes: { algorithm: { name: "AES-GCM", length: 256 }, usages: ["encrypt", "decrypt"] },
  hmac: { algorithm: { name: "HMAC", hash: "SHA-256", length: 256 }, usages: ["sign"] },
  mac: { algorithm: { name: "HMAC", hash: "SHA-256", length: 256 }, usages: ["sign"] },
  jwt: { algorithm: { name: "HMAC", hash: "SHA-256", length: 256 }, usages: ["sign", "verify"] },
} as const;

// Holds keys, not promises: a Worker must not await a promise that another request created.
const derivedKeys = new Map<string, CryptoKey>();

/**
 * Derives the key of one purpose from a root key by HKDF-SHA-256 (RFC 5869). `hmac` keys hash secrets (secret-box.ts),
 * `mac` keys authenticate tokens (mac.ts), `jwt` keys sign JWTs: one purpose gives different keys for each kind.
 */
export async function deriveKey(root: RootKey, kind: keyof typeof kinds, purpose: string): Promise<CryptoKey> {
  const info = `${kind}:${purpose}`;
  const name = `${info} ${root.key}`;
  const cached = derivedKeys.get(name);
  if (cached) return cached;
  const { algorithm, usages } = kinds[kind];
  const material = await crypto.subtle.importKey("raw", fromBase64(root.key), "HKDF", false, ["deriveKey"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: utf8(info) };
  const key = await crypto.subtle.deriveKey(hkdf, material, algorithm, false, [...usages]);
  derivedKeys.set(name, key);
  return key;
}

/** Returns the key for new values: the last of the list. Throws an Error when the list is empty. */
export function newestKey(roots: readonly RootKey[]): RootKey {
  const root = roots.at(-1);
  if (!root) throw new Error("no master key");
  return root;
}
