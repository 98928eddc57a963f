import { HOUR_MS } from "../../../lib/time.ts";
import type { EventEntry, RecipientEntry } from "../../../platform/db/email-json.ts";
import { type EventType, isDelivered, isHandedOver, type RecipientState, type StoredStatus } from "../rules.ts";
import { type EmailState, recipientKey } from "./state.ts";

/**
 * Counters of a roll-up row, by column name (docs/contract/analytics.md#counts). A recipient is in `sent` once the egress took its
 * email, or in `refused` if it refused it first, and then in at most one of `delivered`, `bounced`, `soft_bounced` and `failed`.
 */
export const recipientCounters = [
  "sent",
  "delivered",
  "bounced",
  "failed",
  "complained",
  "deferred",
  "unsubscribed",
  "refused",
  "soft_bounced",
  "unsent",
] as const;
/** Counters of emails, each at most once, in the row of the recipient of their first hit. */
export const emailCounters = ["opens", "clicks"] as const;
export const rollupColumns = [...recipientCounters, ...emailCounters] as const;
export type RollupColumn = (typeof rollupColumns)[number];

/**
 * Increments of the roll-up row of one recipient domain in one hour; the domain '' counts emails (rollups.ts says where they
 * are stored). An event counts in the hour of its own time (docs/contract/analytics.md#counts), not in that of its write.
 */
export interface RollupCounts extends Record<RollupColumn, number> {
  /** Hours since 1970. */
  hour: number;
  domain: string;
}

/** Returns the hour since 1970 of a time in ms. */
export const hourOf = (at: number) => Math.floor(at / HOUR_MS);

/** Returns the domain of a canonical address. */
export const domainOf = (key: string) => key.slice(key.lastIndexOf("@") + 1);

/** Returns increments of zero for a recipient domain in the hour of a time. */
export function zeroCounts(at: number, domain: string): RollupCounts {
  const zero = Object.fromEntries(rollupColumns.map((column) => [column, 0])) as Record<RollupColumn, number>;
  return { hour: hourOf(at), domain, ...zero };
}

/** A fact that was applied to one recipient of an email. */
interface Applied {
  /** Milliseconds since 1970. */
  at: number;
  /** In its new state. */
  recipient: RecipientEntry;
  from: RecipientState;
  event: EventType;
  metadata: EventEntry["metadata"];
  /** Of the email after the fact. */
  status: StoredStatus;
  /** Events of the email before the fact. */
  earlier: readonly EventEntry[];
  /** True when the email was sent to any recipient. */
  isSent: boolean;
}

/** Event types of which the first one of a recipient, and the first one of an email, counts. */
const FIRST_EVENTS: Partial<Record<EventType, RollupColumn>> = {
  complained: "complained",
  deferred: "deferred",
  unsubscribed: "unsubscribed",
};

/** The column that counts an email in a status, whatever its bounce was. */
const STATUS_COLUMNS: Partial<Record<StoredStatus, RollupColumn>> = {
  delivered: "delivered",
  bounced: "bounced",
  failed: "failed",
  rejected: "failed",
};

/** Returns the column that counts a recipient in a state, by the event that led to it. Null: no column. */
function columnOf(state: RecipientState, metadata: EventEntry["metadata"]): RollupColumn | null {
  if (isDelivered(state)) return "delivered";
  if (state === "bounced") return metadata?.bounce_type === "soft" ? "soft_bounced" : "bounced";
  if (state === "rejected") return "failed";
  // The last attempt of a recipient names the egress; without one its email was never handed over.
  if (state === "failed") return metadata?.relay === undefined ? "unsent" : "failed";
  return null;
}

/**
 * Counts the facts that are applied to one email, one after the other, so that the counts do not depend on which of them
 * are written together: a recount of the stored events gives the same. Pure.
 */
export class RollupTally {
  readonly #counts = new Map<string, RollupCounts>();
  #status: StoredStatus;
  /** True when the email was sent to any recipient, and when it was delivered to all, at any time. */
  isSent: boolean;
  isDelivered: boolean;

  constructor({ status, sentAt, deliveredAt }: Pick<EmailState, "status" | "sentAt" | "deliveredAt">) {
    this.#status = status;
    this.isSent = sentAt !== null;
    this.isDelivered = deliveredAt !== null;
  }

  add(fact: Applied): void {
    this.#addRecipient(fact);
    this.#addEmail(fact);
  }

  /** Returns the rows with an increment. */
  counts(): RollupCounts[] {
    return [...this.#counts.values()].filter((counts) => rollupColumns.some((column) => counts[column] !== 0));
  }

  #addRecipient({ at, recipient, from, event, metadata, earlier }: Applied): void {
    const domain = domainOf(recipientKey(recipient));
    const counts = this.#of(at, domain);
    const first = FIRST_EVENTS[event];
    const isEarlier = (type: string) => (entry: EventEntry) =>
      entry.type === type && entry.metadata?.recipient === recipient.email;
    if (first && !earlier.some(isEarlier(event))) counts[first] += 1;
    if (from === recipient.state) return;
    const cause = earlier.find(isEarlier(from));
    const before = columnOf(from, cause?.metadata);
    const after = columnOf(recipient.state, metadata);
    if (before !== after) {
      // It leaves the hour in which it was counted, so that no hour has fewer than none.
      if (before) this.#of(cause?.at ?? at, domain)[before] -= 1;
      if (after) counts[after] += 1;
    }
    // One that was held and then deferred is queued again. A "sent" that came after it had failed did not count.
    const untilCause = earlier.slice(0, cause ? earlier.indexOf(cause) : undefined);
    const wasCounted =
      isHandedOver(from) || (before !== null && before !== "unsent") || untilCause.some(isEarlier("sent"));
    if (wasCounted) return;
    if (isHandedOver(recipient.state)) counts.sent += 1;
    else if (after !== null && after !== "unsent") counts.refused += 1;
  }

  #addEmail({ at, event, status, earlier, isSent: isSentNow }: Applied): void {
    const counts = this.#of(at, "");
    const first = FIRST_EVENTS[event];
    if (first && !earlier.some(({ type, metadata }) => type === event && metadata?.recipient !== undefined))
      counts[first] += 1;
    if (!this.isSent && isSentNow) counts.sent += 1;
    this.isSent ||= isSentNow;
    this.isDelivered ||= status === "delivered";
    if (this.#status === status) return;
    const before = STATUS_COLUMNS[this.#status];
    const after = STATUS_COLUMNS[status];
    this.#status = status;
    if (before) counts[before] -= 1;
    if (after) counts[after] += 1;
    if (!this.isSent && (status === "bounced" || status === "rejected")) counts.refused += 1;
  }

  #of(at: number, domain: string): RollupCounts {
    const key = `${hourOf(at)} ${domain}`;
    const counts = this.#counts.get(key) ?? zeroCounts(at, domain);
    this.#counts.set(key, counts);
    return counts;
  }
}
