/** The setting CFBL_DKIM_KEY: the DKIM keys of BOUNCE_DOMAIN, to which mailbox providers send complaints (RFC 9477). */

import { Buffer } from "node:buffer";
import { createHash, createPrivateKey } from "node:crypto";
import { tryOr } from "../../lib/try-or.ts";

/** Keys that the setting may have: the one that signs and, before a rotation, the next one. Cloudflare takes 5 KB of a secret. */
const MAX_KEYS = 2;
const MAX_CHARACTERS = 5_000;

/** A DKIM key of RSA-2048. */
export interface CfblKey {
  /** Names the key material without disclosing it. */
  id: string;
  selector: string;
  /** PKCS #8 in DER. */
  pkcs8: Uint8Array<ArrayBuffer>;
}

export interface CfblSettings {
  /** Signs bulk mail for BOUNCE_DOMAIN. Null: there is no key, or the setting is malformed. */
  cfblKey: CfblKey | null;
  /** Sentences about a malformed setting. */
  cfblIssues: readonly string[];
}

const SELECTOR = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const BASE64 = /^[A-Za-z0-9+/]{100,}={0,2}$/;

/** Returns the key that signs, and the issues of the setting. */
export function cfblSettings(text: string): CfblSettings {
  const { keys, issues } = parseCfblKeys(text);
  return { cfblKey: keys[0] ?? null, cfblIssues: issues };
}

/**
 * Parses `<selector>:<base64 of a PKCS #8 key>` entries that are separated by commas. The first one signs; the record of a second one
 * is only published. Returns no keys when one of them is malformed, with a sentence about each issue, which contains no key.
 */
export function parseCfblKeys(text: string): { keys: readonly CfblKey[]; issues: readonly string[] } {
  const entries = text === "" ? [] : text.split(",");
  const issues: string[] = [];
  if (text.length > MAX_CHARACTERS) issues.push(`has ${text.length} characters; the limit is ${MAX_CHARACTERS}`);
  if (entries.length > MAX_KEYS) issues.push(`has ${entries.length} keys; the limit is ${MAX_KEYS}`);
  const keys: CfblKey[] = [];
  for (const [index, entry] of issues.length > 0 ? [] : entries.entries()) {
    const key = parseEntry(entry.trim());
    if (typeof key === "string") issues.push(`key ${index + 1} ${key}`);
    else if (keys.some(({ selector }) => selector === key.selector))
      issues.push(`key ${index + 1} repeats the selector ${key.selector}`);
    else keys.push(key);
  }
  if (issues.length === 0) return { keys, issues };
  return { keys: [], issues: issues.map((issue) => `CFBL_DKIM_KEY: ${issue}`) };
}

function parseEntry(entry: string): CfblKey | string {
  const colon = entry.indexOf(":");
  const [selector, base64] = [entry.slice(0, Math.max(0, colon)), entry.slice(colon + 1)];
  if (!SELECTOR.test(selector)) return "must begin with a selector of 1 to 63 characters a-z, 0-9 or - and a colon";
  const pkcs8 = Uint8Array.from(Buffer.from(base64, "base64"));
  if (!BASE64.test(base64) || !isRsa2048(pkcs8)) return "must be the base64 of an RSA key of 2048 bits in PKCS #8";
  return { id: `cfbl ${createHash("sha256").update(pkcs8).digest("hex")}`, selector, pkcs8 };
}

function isRsa2048(pkcs8: Uint8Array): boolean {
  const key = tryOr(() => createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" }), null);
  return key?.asymmetricKeyType === "rsa" && key.asymmetricKeyDetails?.modulusLength === 2048;
}
