import { createPrivateKey, createPublicKey } from "node:crypto";
import { dkimRecord, generateDkimKeyPair } from "../../src/mail/dkim/keys.ts";
import { parseCfblKeys } from "../../src/platform/settings/cfbl-key.ts";

/** Returns a new value of CFBL_DKIM_KEY, whose selector has the month: the key of another one has another name. */
export async function newCfblKey(now: Date): Promise<string> {
  const { pkcs8 } = await generateDkimKeyPair("rsa-sha256");
  const selector = `cfbl-${now.toISOString().slice(0, 7).replace("-", "")}`;
  return `${selector}:${Buffer.from(pkcs8).toString("base64")}`;
}

/** A TXT record of a deployment. */
export interface KeyRecord {
  type: "TXT";
  name: string;
  value: string;
}

/** Returns the DKIM records of the keys of CFBL_DKIM_KEY, also of one that does not sign yet; none when it is malformed. */
export function cfblRecords(keys: string, bounceDomain: string): KeyRecord[] {
  return parseCfblKeys(keys).keys.map(({ selector, pkcs8 }) => ({
    type: "TXT",
    name: `${selector}._domainkey.${bounceDomain}`,
    value: dkimRecord("rsa-sha256", publicKeyOf(pkcs8)),
  }));
}

function publicKeyOf(pkcs8: Uint8Array): string {
  const key = createPublicKey(createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" }));
  return key.export({ format: "der", type: "spki" }).toString("base64");
}
