/** Limits of a delivery run and the sender check before dispatch. Pure. */

/**
 * Recipients of one attempt that get a transaction and a return path each, over the same connection
 * (docs/contract/delivery.md#return-path). Above it one transaction serves all.
 */
export const MAX_OWN_PATHS = 10;
/** A flush writes this many outcomes, or fewer once the oldest has waited FLUSH_AFTER_MS. */
export const FLUSH_EMAILS = 16;
export const FLUSH_AFTER_MS = 500;
/** Approximate bytes of one flush: about half of the 2,000,000 that one bound parameter of D1 may have (platform limits). */
export const FLUSH_BYTES = 900_000;
/** How often a run checks whether its lease runs low while it waits for the egress, in milliseconds. */
export const RENEW_EVERY_MS = 10_000;
/** Emails of a claim whose outcome may be unwritten at any moment: the most that a kill can duplicate. */
export const MAX_UNWRITTEN = 20;
/**
 * A run claims no further rows after this many milliseconds, and starts no further transaction of an email to several recipients:
 * an invocation has 15 minutes. The sweep finds the rest.
 */
export const RUN_MS = 10 * 60_000;
/** Limits of the runs of one invocation, as counts: clocks stand still between two awaits in production. */
export interface RunLimits {
  /** Emails claimed. */
  emails: number;
  /**
   * D1 statements, each of a batch singly, of the 1,000 that an invocation may make (D1 limits). No email starts when
   * less is left than the outcomes of the emails in flight need; the rest is for writes that are retried.
   */
  statements: number;
  /**
   * R2 reads. An invocation may make 10,000 subrequests (Workers limits); emails in flight may add 2,400 to this, and a further
   * transaction of each 1,200.
   */
  objectReads: number;
  /** Units of CPU (src/lib/liquid/meter.ts), at most 4 s. What has begun then, such as 4 emails in flight, takes 5 s more. */
  work: number;
}
/** Work of an email, and of each of its bytes: its signatures take as long as 50 KB. */
export const workOf = (bytes: number) => 50_000 + bytes;
/** Returns the limits of an invocation: all its runs and jobs, on whichever database, lower them. */
export const newRunLimits = (): RunLimits => ({
  emails: 1_000,
  statements: 780,
  objectReads: 4_000,
  work: 100_000_000,
});

/** D1 statements of a claim: the claim, its reads of both databases, and the release of its rows. */
export const CLAIM_STATEMENTS = 15;

/** Returns the D1 statements that the outcomes of a claim of `emails` may still need once no further email starts. */
export function closingStatements(emails: number): number {
  const unwritten = Math.min(emails, MAX_UNWRITTEN);
  // A flush has a statement for each workspace among its emails and thirteen others. The lease and the rest take five.
  return 13 * Math.ceil(unwritten / FLUSH_EMAILS) + unwritten + 5;
}

/** Returns whether a run may claim further rows: what is left is enough for the claim and for outcomes of its emails. */
export function mayClaim({ emails, objectReads, statements, work }: RunLimits): boolean {
  return emails > 0 && objectReads > 0 && work > 0 && statements > CLAIM_STATEMENTS + closingStatements(MAX_UNWRITTEN);
}

/** Returns whether a run may start another email. Emails beyond its limits are released untried. */
export function mayContinue({ objectReads, statements, work }: RunLimits): boolean {
  return objectReads > 0 && statements > 0 && work > 0;
}

/** Bytes of content that a run composes at once. An email has up to 5 MB, and composing takes several times that of 128 MB. */
export const CONTENT_BYTES_IN_FLIGHT = 6_000_000;
/**
 * SMTP connections of one invocation, over all egresses: a Worker may have six connections, of which D1, R2 and queues need some
 * (Workers limits). So many egresses can be at work at once.
 */
export const MAX_CONNECTIONS = 4;
/** Emails after which an egress passes its only connection on to one that waits for its first. */
export const EMAILS_PER_TURN = 20;
/** How long an egress waits for its first connection before its emails go back to the outbox, for another invocation, in ms. */
export const CONNECTION_WAIT_MS = 10_000;
/** Seconds until the queue message for such emails. */
export const PASS_ON_DELAY_S = 2;
/** Outbox rows of broadcasts that one run delivers: with 64 emails each about half of the D1 queries of an invocation. */
export const LOW_PRIORITY_RUN_ROWS = 20;
/** Transactional mail that became due within this many milliseconds goes before the next row of a broadcast. */
export const RECENT_MS = 5_000;
/** How long an email of a paused workspace waits for its next check, in ms (docs/contract/delivery.md#checks-before-dispatch). */
export const PAUSE_WAIT_MS = 10 * 60_000;

/** Time between checks of an email without an egress, and until it fails, in ms (docs/contract/delivery.md#missing-egress). */
export const EGRESS_CHECK_MS = 10 * 60_000;
export const EGRESS_WAIT_MAX_MS = 5 * 24 * 3_600_000;

/** Emails of one retry step after an outage of the egress (docs/contract/delivery.md#outages). */
export const RETRY_STEP_ROWS = 500;
/** A retry step waits while more released emails than this are unfinished. */
export const MAX_RETRIED_ROWS = 250;
/** A retried email of a broadcast that no run has claimed for this long may not leave yet, in milliseconds. */
export const BULK_WAITS_AFTER_MS = 30_000;
/** Time from a successful delivery to the retry step that it schedules, in milliseconds. */
export const RETRY_STEP_DELAY_MS = 2_000;

/** The part of SenderFacts (src/sending/delivery/claim/read-senders.ts) that decides whether an email may be sent. */
export interface SenderState {
  /** Null when the domain no longer belongs to this workspace. */
  domain: string | null;
  domainStatus: string | null;
  mailboxActive: boolean;
  paused: boolean;
  restricted: boolean;
}

export type SenderVerdict = { kind: "send" } | { kind: "wait" } | { kind: "fail"; reason: string };

/** Decides whether an email may be sent now. In a pause it waits; anything else that ended since accept fails it. */
export function checkSender(sender: SenderState): SenderVerdict {
  if (sender.restricted) return { kind: "fail", reason: "the account is restricted" };
  if (sender.domain === null)
    return { kind: "fail", reason: "the sender's domain no longer belongs to this workspace" };
  if (sender.domainStatus !== "verified") return { kind: "fail", reason: "the sender's domain is no longer verified" };
  if (!sender.mailboxActive) return { kind: "fail", reason: "the sender's mailbox was deleted or is not active" };
  return sender.paused ? { kind: "wait" } : { kind: "send" };
}

/** Waits between attempts, in ms (docs/contract/delivery.md#attempts-and-waits). The eighth failed attempt is the last. */
export const attemptWaitsMs: readonly number[] = [1, 5, 30, 120, 360, 720, 1620].map((minutes) => minutes * 60_000);

/**
 * Returns the wait in milliseconds after failed attempt number `attempt` (1 is the first), or null after the last.
 * `random` (0 to 1) spreads the wait by 10 % around the table's value.
 */
export function waitAfter(attempt: number, random: number): number | null {
  const wait = attemptWaitsMs[attempt - 1];
  return wait === undefined ? null : Math.round(wait * (0.95 + random * 0.1));
}
