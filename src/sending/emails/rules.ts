/** Statuses, transitions and limits of emails (docs/contract/emails.md#statuses). Pure. A test checks every row of the tables. */

/** Limits of one email, and of a batch (docs/contract/limits.md#one-email). */
export const limits = {
  batch: 500,
  recipients: 50,
  customHeaders: 50,
  customHeaderBytes: 16 * 1024,
  lineBytes: 998,
  tags: 10,
  tagCharacters: 64,
  attachments: 100,
  attachmentBytes: 24 * 1024 * 1024,
  filenameBytes: 255,
  /** html and text together, in UTF-8. */
  bodyBytes: 5_000_000,
  scheduleMinMs: 60_000,
  scheduleMaxMs: 30 * 24 * 3_600_000,
  /** Moves of a scheduled email, each of which adds an event. */
  moves: 100,
} as const;

const earlyStatuses = ["scheduled", "queued"] as const;
const lateStatuses = ["sent", "delivered", "bounced", "rejected", "failed", "cancelled"] as const;
export const storedStatuses = [...earlyStatuses, ...lateStatuses] as const;
export type StoredStatus = (typeof storedStatuses)[number];
/** `sending` is the status of an email that a run has claimed; it is shown, never stored. */
export const statuses = [...earlyStatuses, "sending", ...lateStatuses] as const;
export type Status = (typeof statuses)[number];

export const eventTypes = [
  "queued",
  "scheduled",
  "sent",
  "delivered",
  "deferred",
  "bounced",
  "rejected",
  "failed",
  "cancelled",
  "open",
  "click",
  "complained",
  "unsubscribed",
  "retried",
  "suppressed",
] as const;
export type EventType = (typeof eventTypes)[number];

/** Reasons of a suppression. */
export type SuppressionReason = "bounce" | "complaint" | "unsubscribe" | "manual" | "soft_bounces";

/** An entry of the suppression list. */
export interface Suppression {
  reason: SuppressionReason;
  /** True when the address unsubscribed too, before or after a stronger reason. */
  isUnsubscribed: boolean;
}

const BULK_SOURCES: readonly string[] = ["bulk", "broadcast", "automation"];

/** Returns whether the emails of a source go to many people: broadcasts, bulk sends and automations. */
export const isBulkSource = (source: string) => BULK_SOURCES.includes(source);

/**
 * Returns whether a suppression stops an email (docs/contract/suppressions.md#what-a-suppression-stops): an unsubscribe applies
 * to bulk and broadcast mail only, and to single mail that offers an unsubscribe; soft bounces do so without a retry, and a bounce does not stop a retry.
 */
export function isSuppressing(
  { reason, isUnsubscribed }: Suppression,
  { source, isRetry, offersUnsubscribe = false }: { source: string; isRetry: boolean; offersUnsubscribe?: boolean },
): boolean {
  const isBulk = isBulkSource(source) || offersUnsubscribe;
  if (reason === "unsubscribe" || (isUnsubscribed && isBulk)) return isBulk;
  if (reason === "soft_bounces") return isBulk && !isRetry;
  return reason !== "bounce" || !isRetry;
}

/** Transitions of a whole email, before the first delivery attempt. */
export const emailTransitions = [
  { from: "scheduled", on: "due", to: "queued", event: "queued" },
  { from: "scheduled", on: "send-now", to: "queued", event: "queued" },
  { from: "scheduled", on: "cancel", to: "cancelled", event: "cancelled" },
  { from: "scheduled", on: "sender-lost", to: "failed", event: "failed" },
  { from: "scheduled", on: "domain-moved", to: "cancelled", event: "cancelled" },
] as const satisfies readonly { from: StoredStatus; on: string; to: StoredStatus; event: EventType }[];

/** States of one recipient. */
export const recipientStates = [
  "queued",
  "held",
  "sent",
  "delivered",
  "complained",
  "bounced",
  "rejected",
  "failed",
  "suppressed",
  "cancelled",
] as const;
export type RecipientState = (typeof recipientStates)[number];

/**
 * Transitions of one recipient. When a fact has no row for the current state, it came late: its event is written and the
 * state stays (merge rule: queued < sent < delivered < complained, and bounced above delivered).
 */
export const recipientTransitions = [
  { from: "queued", on: "accepted-dsn-to-come", to: "sent", event: "sent" },
  { from: "queued", on: "accepted-final", to: "delivered", event: "delivered" },
  { from: "queued", on: "deferred", to: "queued", event: "deferred" },
  { from: "queued", on: "recipient-refused", to: "bounced", event: "bounced" },
  { from: "queued", on: "message-refused", to: "rejected", event: "rejected" },
  { from: "queued", on: "gave-up", to: "failed", event: "failed" },
  { from: "queued", on: "suppressed", to: "suppressed", event: "suppressed" },
  // Its broadcast was cancelled or deleted.
  { from: "queued", on: "cancelled", to: "cancelled", event: "cancelled" },
  { from: "queued", on: "dsn-delivered", to: "delivered", event: "delivered" },
  { from: "queued", on: "dsn-failed", to: "bounced", event: "bounced" },
  { from: "queued", on: "complaint", to: "complained", event: "complained" },
  // An egress of our own has the email in its memory, under the lease of its outbox row (docs/egress.md).
  { from: "queued", on: "held", to: "held", event: "sent" },
  { from: "held", on: "accepted-dsn-to-come", to: "sent", event: "sent" },
  { from: "held", on: "accepted-final", to: "delivered", event: "delivered" },
  { from: "held", on: "deferred", to: "queued", event: "deferred" },
  { from: "held", on: "recipient-refused", to: "bounced", event: "bounced" },
  { from: "held", on: "message-refused", to: "rejected", event: "rejected" },
  { from: "held", on: "gave-up", to: "failed", event: "failed" },
  { from: "held", on: "suppressed", to: "suppressed", event: "suppressed" },
  { from: "held", on: "cancelled", to: "cancelled", event: "cancelled" },
  { from: "held", on: "dsn-delivered", to: "delivered", event: "delivered" },
  { from: "held", on: "dsn-failed", to: "bounced", event: "bounced" },
  { from: "held", on: "complaint", to: "complained", event: "complained" },
  { from: "held", on: "unsubscribe", to: "held", event: "unsubscribed" },
  { from: "sent", on: "dsn-delivered", to: "delivered", event: "delivered" },
  { from: "sent", on: "accepted-final", to: "delivered", event: "delivered" },
  { from: "sent", on: "recipient-refused", to: "bounced", event: "bounced" },
  { from: "sent", on: "dsn-failed", to: "bounced", event: "bounced" },
  { from: "sent", on: "complaint", to: "complained", event: "complained" },
  { from: "delivered", on: "recipient-refused", to: "bounced", event: "bounced" },
  { from: "delivered", on: "dsn-failed", to: "bounced", event: "bounced" },
  { from: "delivered", on: "complaint", to: "complained", event: "complained" },
  { from: "bounced", on: "complaint", to: "complained", event: "complained" },
  // A DSN or a complaint can still arrive for a recipient that failed here, and it is the better evidence.
  { from: "failed", on: "accepted-dsn-to-come", to: "sent", event: "sent" },
  { from: "failed", on: "accepted-final", to: "delivered", event: "delivered" },
  { from: "failed", on: "dsn-delivered", to: "delivered", event: "delivered" },
  { from: "failed", on: "dsn-failed", to: "bounced", event: "bounced" },
  { from: "failed", on: "complaint", to: "complained", event: "complained" },
  // A run that lost its lease may have sent an email that another run cancelled.
  { from: "cancelled", on: "accepted-dsn-to-come", to: "sent", event: "sent" },
  { from: "cancelled", on: "accepted-final", to: "delivered", event: "delivered" },
  { from: "cancelled", on: "dsn-delivered", to: "delivered", event: "delivered" },
  { from: "cancelled", on: "dsn-failed", to: "bounced", event: "bounced" },
  { from: "cancelled", on: "complaint", to: "complained", event: "complained" },
  // An unsubscribe is no delivery outcome: its event is written and the state stays.
  { from: "sent", on: "unsubscribe", to: "sent", event: "unsubscribed" },
  { from: "delivered", on: "unsubscribe", to: "delivered", event: "unsubscribed" },
] as const satisfies readonly { from: RecipientState; on: string; to: RecipientState; event: EventType }[];

/** Returns whether a recipient in this state got the email, as far as is known. */
export const isDelivered = (state: RecipientState) => state === "delivered" || state === "complained";

/** Returns whether an email was handed to the server of a recipient in this state. */
const isSent = (state: RecipientState) => state === "sent" || isDelivered(state);

/** Returns whether an egress has taken the email for a recipient in this state. */
export const isHandedOver = (state: RecipientState) => state === "held" || isSent(state);

/** Returns whether a recipient in this state waits for a delivery attempt, or for the result of one. */
export const isPending = (state: RecipientState) => state === "queued" || state === "held";

export type RecipientFact = (typeof recipientTransitions)[number]["on"];

const eventOf = new Map<RecipientFact, EventType>(recipientTransitions.map(({ on, event }) => [on, event]));

/** Returns the state of a recipient after a fact, and the type of the event to write. */
export function transitionOf(from: RecipientState, on: RecipientFact): { to: RecipientState; event: EventType } {
  const transition = recipientTransitions.find((row) => row.from === from && row.on === on);
  return { to: transition?.to ?? from, event: eventOf.get(on) ?? "deferred" };
}

/** Final statuses, the worst last. */
const finalOrder: readonly StoredStatus[] = ["delivered", "failed", "rejected", "bounced"];

/**
 * Returns the status of an email from the states of its recipients: `queued` while any waits for an attempt, `sent`
 * while an egress holds it for any or any waits for a DSN, then the worst of bounced, rejected, failed, delivered. Suppressed and cancelled recipients do
 * not count; when there is no other the email is `cancelled` if one was cancelled, else `rejected`.
 */
export function statusOf(states: readonly RecipientState[]): StoredStatus {
  if (states.includes("queued")) return "queued";
  if (states.includes("held") || states.includes("sent")) return "sent";
  const outcomes = states.filter((state) => state !== "suppressed" && state !== "cancelled");
  if (outcomes.length === 0) return states.includes("cancelled") ? "cancelled" : "rejected";
  const ranks = outcomes.map((state) => (state === "complained" ? 0 : finalOrder.indexOf(state as StoredStatus)));
  return finalOrder[Math.max(...ranks)] ?? "failed";
}
