import { hex } from "../../lib/ids.ts";

/** Time between two DNS checks of a verified domain, in ms (docs/contract/domains.md#verification). */
export const RECHECK_MS = 24 * 3_600_000;
/** Time until a DNS check without a response is repeated, in ms. */
export const RETRY_CHECK_MS = 3_600_000;
/** Failed daily checks in a row after which a domain becomes `failed` (docs/contract/domains.md#verification). */
export const MAX_FAILED_CHECKS = 3;
/** How long a retired DKIM key is listed, in ms (docs/contract/domains.md#dkim-keys). Retries of email it signed end after 48 hours. */
export const RETIRED_KEY_MS = 7 * 24 * 3_600_000;

/** Greatest number of mailboxes that the refusal of a deletion names. */
export const MAX_BLOCKERS = 50;

/** Longest name in characters: with the selector and `._domainkey.` in front it stays within 253 (RFC 1035 2.3.4). */
export const MAX_NAME = 220;

/** Label of the ownership record below a domain. */
export const OWNERSHIP_LABEL = "_svc-challenge";
/** Label of the return path below a domain. */
export const RETURN_PATH_LABEL = "svc-bounces";

/** The health of a domain in a word: its worst finding; `unknown`: not examined yet. */
export const healthWords = ["unknown", "ok", "warning", "error"] as const;

/** Returns the health of a domain by its stored findings. Pure. */
export function healthOf(stored: string | null): (typeof healthWords)[number] {
  if (stored === null) return "unknown";
  const findings = JSON.parse(stored) as { severity: "warning" | "error"; endedAt?: number }[];
  const open = findings.filter(({ endedAt }) => endedAt === undefined);
  if (open.length === 0) return "ok";
  return open.some(({ severity }) => severity === "error") ? "error" : "warning";
}

/** Returns a new ownership token of 160 random bits, unique to one registration. */
export const newOwnershipToken = (): string => hex(crypto.getRandomValues(new Uint8Array(20)));

/** Reverses the labels of a name: `mail.example.com` becomes `com.example.mail.`, a prefix of all names below it. */
export const reversedName = (name: string): string => `${name.split(".").reverse().join(".")}.`;

/** Returns the bounds of the reversed names of a domain and all its sub-domains: from the first, below the second. */
export function reversedRange(reversed: string): [string, string] {
  // The upper bound ends in '/', the character after '.'.
  return [reversed, reversed.replace(/\.$/, "/")];
}

/** Returns a reversed name and those of all its parents, top-level domain first. */
export function ancestors(reversed: string): string[] {
  const labels = reversed.split(".").slice(0, -1);
  return labels.map((_, index) => `${labels.slice(0, index + 1).join(".")}.`);
}

/** Returns the state of a DKIM key. `pending`: not found in DNS yet. `retired`: still published for email that is already signed. */
export function dkimState(key: {
  activatedAt: number | null;
  retiredAt: number | null;
}): "pending" | "active" | "retired" {
  if (key.retiredAt !== null) return "retired";
  return key.activatedAt === null ? "pending" : "active";
}
