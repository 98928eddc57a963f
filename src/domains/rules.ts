import { hex } from "../lib/ids.ts";

/** When a verified domain is looked up again (decisions 5: daily). */
export const RECHECK_MS = 24 * 3_600_000;
/** When a look-up that gave no answer is tried again. */
export const RETRY_CHECK_MS = 3_600_000;
/** Days in a row on which required records were not there: then the domain is `failed`. */
export const MAX_FAILED_CHECKS = 3;
/** How long the record of a retired DKIM key must stay in DNS: mail it signed is through by then (retries end after 48 hours). */
export const RETIRED_KEY_MS = 7 * 24 * 3_600_000;

/** Longest name: the selector and `._domainkey.` still fit in front of it (RFC 1035 2.3.4: 253). */
export const MAX_NAME = 220;

/** The name that a registration's ownership record carries in front of the domain. */
export const OWNERSHIP_LABEL = "_svc-challenge";
/** Label of the return path below a domain. */
export const RETURN_PATH_LABEL = "svc-bounces";

/** A new ownership token: 160 random bits, so that no two registrations share one. */
export function newOwnershipToken(): string {
  return hex(crypto.getRandomValues(new Uint8Array(20)));
}

/** A name as a place in the tree: labels from the top, each with its dot, so that names below it begin alike. */
export function reversedName(name: string): string {
  return `${name.split(".").reverse().join(".")}.`;
}

/** The place itself and those above it, from the top. */
export function ancestors(reversed: string): string[] {
  const labels = reversed.split(".").slice(0, -1);
  return labels.map((_, index) => `${labels.slice(0, index + 1).join(".")}.`);
}

/** Where a DKIM key stands: made and waiting for its DNS record, signing, or only there for mail on its way. */
export function dkimState(key: {
  activatedAt: number | null;
  retiredAt: number | null;
}): "pending" | "active" | "retired" {
  if (key.retiredAt !== null) return "retired";
  return key.activatedAt === null ? "pending" : "active";
}
