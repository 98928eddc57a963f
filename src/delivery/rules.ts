/** Limits of a delivery run, and what is decided about a mail before it is tried. Pure. */

/** Outcomes written together, or as soon as the oldest has waited this long (design: deliver). */
export const FLUSH_EVERY = 16;
export const FLUSH_AFTER_MS = 500;
/** Octets of one flush, roughly: a bound parameter of D1 may have 2,000,000 (platform limits), and we stay at half. */
export const FLUSH_OCTETS = 900_000;
/** How often a run looks whether its lease runs low, while the egress takes its time. */
export const RENEW_EVERY_MS = 10_000;
/** Mails whose outcome may be unwritten at any moment: what a kill can double. */
export const MAX_UNWRITTEN = 20;
/** A run claims nothing more after this: an invocation has 15 minutes. What it leaves is swept. */
export const RUN_MS = 10 * 60_000;
/** How long a pause holds mail back before it is looked at again. */
export const PAUSE_CHECK_MS = 10 * 60_000;

/** What dispatch finds when it looks again at who sends (src/delivery/claim.ts, SenderFacts). */
interface SenderNow {
  domain: string | null;
  domainStatus: string | null;
  mailboxActive: boolean;
  paused: boolean;
  restricted: boolean;
}

export type SenderVerdict = { kind: "send" } | { kind: "hold" } | { kind: "fail"; reason: string };

/** Whether a mail may go out now. What ended since it was accepted fails it; a pause only holds it back. */
export function checkSender(sender: SenderNow): SenderVerdict {
  if (sender.restricted) return { kind: "fail", reason: "the account is restricted" };
  if (sender.domain === null) return { kind: "fail", reason: "the sender's domain is no longer this workspace's" };
  if (sender.domainStatus !== "verified") return { kind: "fail", reason: "the sender's domain is no longer verified" };
  if (!sender.mailboxActive) return { kind: "fail", reason: "the sender's mailbox is gone or not active" };
  return sender.paused ? { kind: "hold" } : { kind: "send" };
}

/** Waits between delivery attempts, in milliseconds (decisions 4). There is none after the eighth failed attempt. */
export const attemptWaitsMs: readonly number[] = [1, 5, 30, 120, 360, 720, 1620].map((minutes) => minutes * 60_000);
export const MAX_ATTEMPTS = attemptWaitsMs.length + 1;

/**
 * Returns the wait in milliseconds after failed attempt number `attempt` (1 is the first), or null after the last.
 * `random` (0 to 1) spreads the wait by 10 % around the table's value.
 */
export function waitAfter(attempt: number, random: number): number | null {
  const wait = attemptWaitsMs[attempt - 1];
  return wait === undefined ? null : Math.round(wait * (0.95 + random * 0.1));
}
