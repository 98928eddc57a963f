import { toBase64 } from "../../lib/bytes.ts";

/** Signature algorithms of DKIM (RFC 6376 3.3, RFC 8463 3). */
export type DkimAlgorithm = "rsa-sha256" | "ed25519-sha256";

/** A private key by reference. `pkcs8` is called only when this isolate has not imported the key yet. */
export interface SigningKey {
  /** Identifies the key material. A new key needs a new id. */
  id: string;
  selector: string;
  algorithm: DkimAlgorithm;
  /** d=, in A- or U-labels; absent: that of the message. */
  domain?: string;
  /** The private key, PKCS #8 in DER, decrypted. */
  pkcs8: () => Promise<Uint8Array> | Uint8Array;
}

const MAX_CACHED_KEYS = 512;
const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const ED25519 = { name: "Ed25519" };

/** Imported keys, least recently used first. Not promises: a promise belongs to the request that created it. */
const cachedKeys = new Map<string, CryptoKey>();

/** Returns the imported key. Caches 512 keys per isolate and evicts the least recently used. */
async function importKey(key: SigningKey): Promise<CryptoKey> {
  const name = `${key.algorithm} ${key.id}`;
  const known = cachedKeys.get(name);
  if (known) {
    cachedKeys.delete(name);
    cachedKeys.set(name, known);
    return known;
  }
  const algorithm = key.algorithm === "rsa-sha256" ? RSA : ED25519;
  const imported = await crypto.subtle.importKey("pkcs8", await key.pkcs8(), algorithm, false, ["sign"]);
  const [oldest] = cachedKeys.keys();
  if (oldest !== undefined && cachedKeys.size >= MAX_CACHED_KEYS) cachedKeys.delete(oldest);
  cachedKeys.set(name, imported);
  return imported;
}

/** Signs bytes. Ed25519 signs their SHA-256 (RFC 8463 3). */
export async function signBytes(key: SigningKey, bytes: Uint8Array): Promise<Uint8Array> {
  const imported = await importKey(key);
  if (key.algorithm === "rsa-sha256") return new Uint8Array(await crypto.subtle.sign(RSA.name, imported, bytes));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return new Uint8Array(await crypto.subtle.sign(ED25519.name, imported, digest));
}

/**
 * Generates a key pair: RSA of 2048 bits (about 70 ms) or Ed25519. `publicKey` is the base64 value of p= (RSA:
 * SubjectPublicKeyInfo, Ed25519: the 32 bytes, RFC 8463 4.2). `pkcs8` is the private key in DER, not encrypted.
 */
export async function generateDkimKeyPair(algorithm: DkimAlgorithm): Promise<{ publicKey: string; pkcs8: Uint8Array }> {
  const rsa = algorithm === "rsa-sha256";
  const parameters = rsa ? { ...RSA, modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) } : ED25519;
  const pair = await crypto.subtle.generateKey(parameters, true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new TypeError("the result is not a key pair");
  const publicKey = await crypto.subtle.exportKey(rsa ? "spki" : "raw", pair.publicKey);
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", pair.privateKey);
  if (!(publicKey instanceof ArrayBuffer && pkcs8 instanceof ArrayBuffer))
    throw new TypeError("the exported key is not an ArrayBuffer");
  return { publicKey: toBase64(new Uint8Array(publicKey)), pkcs8: new Uint8Array(pkcs8) };
}

/** Returns the TXT value of `<selector>._domainkey.<domain>` (RFC 6376 3.6.1). For RSA it needs several DNS strings (over 255 octets). */
export function dkimRecord(algorithm: DkimAlgorithm, publicKey: string): string {
  return `v=DKIM1; k=${algorithm === "rsa-sha256" ? "rsa" : "ed25519"}; p=${publicKey}`;
}
