import { createHmac } from "node:crypto";

/** Logins that are remembered. */
const MAX_KNOWN = 2_000;

/** HMACs of the hashes and passwords that scrypt has matched in this isolate, the oldest first. */
const known = new Set<string>();
/** Random, so that the HMACs tell nothing outside this isolate. Made at the first use: Workers start without randomness. */
let key: Uint8Array | null = null;

function mac(hash: string, password: string): string {
  key ??= crypto.getRandomValues(new Uint8Array(32));
  return createHmac("sha256", key)
    .update(JSON.stringify([hash, password]))
    .digest("base64");
}

/**
 * Returns whether this isolate has matched a password with this hash before. A program that opens a connection for each message then costs
 * scrypt once. The caller reads the hash of the credential anew, so one that was deactivated is not found.
 */
export const isKnownPassword = (hash: string, password: string): boolean => known.has(mac(hash, password));

/** Remembers that a password has this hash. */
export function rememberPassword(hash: string, password: string): void {
  known.add(mac(hash, password));
  const [oldest] = known;
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
}
