import { fromBase64, toBase64, utf8 } from "./bytes.ts";

/** A root key and its version. The last one of a list makes new secrets; all of them open old ones. */
export interface RootKey {
  version: number;
  /** Base64 of 32 octets. */
  key: string;
}

type Derived = "aes" | "hmac";

/** Keys, not promises of them: a promise belongs to the request that made it. */
const derivedKeys = new Map<string, CryptoKey>();

/** Derives a key for one purpose by HKDF-SHA-256 (RFC 5869), so that no two uses share one. */
async function derive(root: RootKey, purpose: string, kind: Derived): Promise<CryptoKey> {
  const name = `${kind} ${purpose} ${root.key}`;
  const known = derivedKeys.get(name);
  if (known) return known;
  const material = await crypto.subtle.importKey("raw", fromBase64(root.key), "HKDF", false, ["deriveKey"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: utf8(`${kind}:${purpose}`) };
  const key =
    kind === "aes"
      ? await crypto.subtle.deriveKey(hkdf, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"])
      : await crypto.subtle.deriveKey(hkdf, material, { name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign"]);
  derivedKeys.set(name, key);
  return key;
}

function currentOf(roots: readonly RootKey[]): RootKey {
  const root = roots.at(-1);
  if (!root) throw new Error("no master key");
  return root;
}

/**
 * Encrypts octets (AES-256-GCM) under the current root key. `context` (an id, say) is authenticated with
 * them: the text opens under the same context only. Answers `<version>.<iv>.<ciphertext>`, base64.
 */
export async function seal(
  roots: readonly RootKey[],
  purpose: string,
  context: string,
  plain: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const root = currentOf(roots);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const key = await derive(root, purpose, "aes");
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: utf8(context) }, key, plain);
  return `${root.version}.${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`;
}

/** Opens what `seal` made. Throws when the root key is gone, or when text or context were changed. */
export async function open(
  roots: readonly RootKey[],
  purpose: string,
  context: string,
  sealed: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const [version, iv, text] = sealed.split(".");
  const root = roots.find((candidate) => String(candidate.version) === version);
  if (!root || !iv || !text) throw new Error(`cannot open a secret for ${purpose}: unknown key version`);
  const key = await derive(root, purpose, "aes");
  const algorithm = { name: "AES-GCM", iv: fromBase64(iv), additionalData: utf8(context) };
  return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, fromBase64(text)));
}

/**
 * Keyed hashes (HMAC-SHA-256) of a secret, one for each root key, newest first: store the first, look up
 * by any. Each is `<version>.<base64>`.
 */
export async function keyedHashes(roots: readonly RootKey[], purpose: string, secret: string): Promise<string[]> {
  const hash = async (root: RootKey) => {
    const mac = await crypto.subtle.sign("HMAC", await derive(root, purpose, "hmac"), utf8(secret));
    return `${root.version}.${toBase64(new Uint8Array(mac))}`;
  };
  return Promise.all([...roots].reverse().map(hash));
}
