/** The entries of the JSON columns of `emails`. The states and types are those of src/sending/emails/rules.ts. */

/**
 * One entry of the column `recipients`. `key` is the canonical form of the address when lower() of SQLite does not
 * return it, so that SQL compares `coalesce(key, lower(email))`. Rows of older versions lack the key where toLowerCase()
 * returns it: compare those with `recipientKey`.
 */
export interface RecipientEntry {
  kind: "to" | "cc" | "bcc";
  email: string;
  name?: string;
  key?: string;
  /** The email has a link by which this recipient, its only one, unsubscribes, though it is no bulk mail. */
  unsubscribe?: true;
  state:
    | "queued"
    | "held"
    | "sent"
    | "delivered"
    | "complained"
    | "bounced"
    | "rejected"
    | "failed"
    | "suppressed"
    | "cancelled";
}

/** One event of an email; `at` in milliseconds since 1970. `stored-events.ts` says how the column `events` has it. */
export interface EventEntry {
  id: string;
  type:
    | "queued"
    | "scheduled"
    | "sent"
    | "delivered"
    | "deferred"
    | "bounced"
    | "rejected"
    | "failed"
    | "cancelled"
    | "open"
    | "click"
    | "complained"
    | "unsubscribed"
    | "retried"
    | "suppressed";
  at: number;
  metadata?: Record<string, unknown>;
}

/** Replaces in the column `events` of a settled email the event `queued` that `queuedEvent` returns: 75 bytes less. */
export type StoredQueued = 0;

/**
 * Replaces there an event `delivered` of a delivery attempt, which is 135 bytes longer: end of its id, milliseconds since the email was
 * created, position of the recipient, relay, attempt, dsn (0 when it is the second word of the response), response.
 */
export type StoredDelivery = [
  id: string,
  ms: number,
  recipient: number,
  relay: string,
  attempt: number,
  dsn: string | 0,
  response: string,
];

/** One entry of the column `events`. */
export type StoredEvent = EventEntry | StoredQueued | StoredDelivery;
