import { addressKey, lowerCase } from "../../lib/addresses.ts";

/** Limits and conditions of forwarding rules (docs/contract/inbound.md#forwarding-rules). Pure. */

export const limits = {
  /** Characters of a condition. */
  matchCharacters: 998,
  /** Confirmation emails of a workspace in an hour, and hours between two to one address. */
  requestsPerHour: 20,
  requestEveryMs: 3_600_000,
  /** How long the link of such an email works. */
  confirmWithinMs: 7 * 24 * 3_600_000,
} as const;

/** The conditions of a rule. All of them must hold; an absent one holds always. */
export interface RuleMatch {
  /** An address, or `@` and a domain. */
  from?: string | null | undefined;
  to?: string | null | undefined;
  subject_contains?: string | null | undefined;
}

/** The values that conditions are compared with. */
export interface MatchedMessage {
  from: string | null;
  /** The recipient of the envelope, and those in To and Cc. */
  recipients: readonly string[];
  subject: string;
}

/** Returns whether a message meets the conditions of a rule. Letter case does not matter. */
export function matches(match: RuleMatch, { from, recipients, subject }: MatchedMessage): boolean {
  if (match.from && !isAddressed(match.from, from === null ? [] : [from])) return false;
  if (match.to && !isAddressed(match.to, recipients)) return false;
  return !match.subject_contains || lowerCase(subject).includes(lowerCase(match.subject_contains));
}

function isAddressed(wanted: string, addresses: readonly string[]): boolean {
  const keys = addresses.map(addressKey);
  return wanted.startsWith("@")
    ? keys.some((key) => key.endsWith(lowerCase(wanted)))
    : keys.includes(addressKey(wanted));
}

/** Received fields from which on a message is not forwarded (RFC 5321 6.3). */
const MAX_RECEIVED = 30;
/** Delivered-To fields from which on a message is not forwarded: each hosted mailbox that forwards it adds one. */
const MAX_DELIVERED_TO = 5;

/** Returns whether forwarding a message again would be a loop: it was here before, or in too many places. */
export function isLoop(fields: { all(name: string): readonly string[] }, mailbox: string): boolean {
  const delivered = fields.all("delivered-to").map((value) => addressKey(value.trim()));
  return (
    delivered.includes(mailbox) || delivered.length >= MAX_DELIVERED_TO || fields.all("received").length >= MAX_RECEIVED
  );
}
