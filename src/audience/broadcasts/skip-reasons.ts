/** Why a contact gets no email of a broadcast (docs/contract/broadcasts.md#skipped-contacts). Pure. */

export const skipReasons = ["suppressed", "unsubscribed", "invalid", "pending", "repeated"] as const;
/** `repeated`: the person is in an earlier list of the broadcast and gets its email there. */
export type SkipReason = (typeof skipReasons)[number];

/** Why a person is `suppressed` or `unsubscribed`. */
export const skipCauses = ["bounce", "complaint", "manual", "soft_bounces", "unsubscribe", "topic"] as const;
export type SkipCause = (typeof skipCauses)[number];

/** Each reason and cause as a clause. A row without a cause is older than causes. */
export const skipWords: Readonly<Record<SkipReason | SkipCause, string>> = {
  suppressed: "the address is on the suppression list",
  unsubscribed: "the address has unsubscribed, or left the topic",
  invalid: "the address is malformed",
  pending: "the contact has not confirmed",
  repeated: "the person is in an earlier list of the broadcast",
  bounce: "the address has bounced",
  complaint: "its owner has complained",
  manual: "the address was suppressed by hand",
  soft_bounces: "its last emails bounced",
  unsubscribe: "the address has unsubscribed",
  topic: "the person is not subscribed to the topic",
};

/** A contact that gets no email. */
export interface Skip {
  /** contacts.n */
  contact: number;
  reason: SkipReason;
  cause: SkipCause | null;
}

/** Returns the skip of a contact for a cause, or for a reason that has none. */
export function toSkip(contact: number, why: SkipCause | "invalid" | "pending"): Skip {
  if (why === "invalid" || why === "pending") return { contact, reason: why, cause: null };
  return { contact, reason: why === "unsubscribe" || why === "topic" ? "unsubscribed" : "suppressed", cause: why };
}

export type SkipCounts = Record<SkipReason, number>;

/** Returns counts with further skips. */
export function addSkips(counts: SkipCounts, skips: readonly Pick<Skip, "reason">[]): SkipCounts {
  const sums = { ...counts };
  for (const { reason } of skips) sums[reason] += 1;
  return sums;
}
