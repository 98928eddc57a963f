import type { RootKey } from "../../lib/derive-key.ts";
import { keyedHashes } from "../../lib/secret-box.ts";

/** Returns `<version>.<fingerprint>` of each master key, the newest first. A fingerprint does not reveal its key. */
export function fingerprintKeys(masterKeys: readonly RootKey[]): Promise<string[]> {
  return keyedHashes(masterKeys, "fingerprint of a master key", "");
}
