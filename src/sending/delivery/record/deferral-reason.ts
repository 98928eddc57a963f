/** Subjects of enhanced codes, from 1 (RFC 3463, 3). */
const SUBJECTS = ["address", "mailbox", "system", "network", "protocol", "content", "policy"] as const;

/** Why recipients are deferred, as the metrics of the operator count it: the subject of the enhanced code, or no code. */
export const DEFERRAL_REASONS = [
  ...SUBJECTS,
  /** A reply without an enhanced code. */
  "reply",
  /** No reply: the connection broke, or the time was over. */
  "no_reply",
  /** The attempt ended before MAIL FROM. */
  "egress_unreachable",
  /** The deployment has no usable egress. */
  "no_egress",
  /** The message could not be composed. */
  "compose",
] as const;
export type DeferralReason = (typeof DEFERRAL_REASONS)[number];

const AFTER_LOGIN = ["mail", "rcpt", "data", "final-dot"];

/** Returns the reason of a deferral by the metadata of its outcome. Pure. */
export function deferralReason(metadata: Readonly<Record<string, unknown>> = {}): DeferralReason {
  const { egress, phase, dsn, response } = metadata;
  if (egress !== undefined) return "no_egress";
  if (phase !== undefined && !AFTER_LOGIN.includes(String(phase))) return "egress_unreachable";
  const subject = typeof dsn === "string" ? SUBJECTS[Number(dsn.split(".")[1]) - 1] : undefined;
  if (subject) return subject;
  if (response !== undefined) return "reply";
  return phase === undefined ? "compose" : "no_reply";
}
