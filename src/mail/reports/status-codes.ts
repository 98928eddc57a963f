/** Subject of a failure: the address itself, its whole domain, or anything else. */
export type FailureClass = "address" | "domain" | "other";

/**
 * Codes that say nothing beyond "failed" (RFC 3463 3.1): details of 0, and the subject 5, which servers use for any refusal (Outlook.com
 * refuses unknown mailboxes with 5.5.0), and 5.3.2, which is a closed domain (RFC 7504) or a server that is closed for a while (RFC 3463).
 */
const VAGUE = /^5\.(?:[0-4]\.0|3\.2|5\.\d{1,3})$/;

/**
 * Codes about the address: unknown (5.1.1), bad syntax (5.1.3), ambiguous (5.1.4), moved (5.1.6), disabled (5.2.1), new
 * owner (5.7.17, RFC 7293). RFC 7505 defines 5.1.10 as a null MX, but Exchange uses it for unknown recipients.
 */
const ADDRESS = /^5\.(?:1\.(?:1|3|4|6|10)|2\.1|7\.17)$/;

/**
 * Codes about the domain: 5.1.2 and 5.4.4 (RFC 3463 3.2, 3.5), and those of Exchange Online: 5.1.351 (the remote server
 * is unknown or refused), 5.4.310 (no such domain), 5.4.312 (the DNS query failed).
 */
const DOMAIN = /^5\.(?:1\.(?:2|351)|4\.(?:4|310|312))$/;

/** Returns the class of an enhanced status code (RFC 3463); null when the code says nothing. */
export function classifyStatus(status: string | null): FailureClass | null {
  if (status === null || VAGUE.test(status)) return null;
  if (ADDRESS.test(status)) return "address";
  return DOMAIN.test(status) ? "domain" : "other";
}
