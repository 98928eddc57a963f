import { HOUR_MS } from "../../../lib/time.ts";
import type { EventEntry, RecipientEntry } from "../../../platform/db/email-json.ts";
import { type EventType, isDelivered, isSent, type RecipientState, type StoredStatus } from "../rules.ts";
import { type EmailState, recipientKey } from "./state.ts";

/** Counters of a roll-up row, by column name. */
export const rollupColumns = [
  "sent",
  "delivered",
  "bounced",
  "failed",
  "opens",
  "clicks",
  "complained",
  "deferred",
  "unsubscribed",
  "refused",
] as const;
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

  #addRecipient({ at, recipient, from, event, earlier }: Applied): void {
    const counts = this.#of(at, domainOf(recipientKey(recipient)));
    const to = recipient.state;
    const first = FIRST_EVENTS[event];
    const isOfRecipient = ({ type, metadata }: EventEntry) => type === event && metadata?.recipient === recipient.email;
    if (first && !earlier.some(isOfRecipient)) counts[first] += 1;
    if (from === to) return;
    if (!isSent(from) && from !== "bounced" && isSent(to)) counts.sent += 1;
    if (!isDelivered(from) && isDelivered(to)) counts.delivered += 1;
    if (to === "bounced") counts.bounced += 1;
    if (to === "failed" || to === "rejected") counts.failed += 1;
    if (!isSent(from) && (to === "bounced" || to === "rejected")) counts.refused += 1;
  }

  #addEmail({ at, event, status, earlier, isSent: isSentNow }: Applied): void {
    const counts = this.#of(at, "");
    const first = FIRST_EVENTS[event];
    if (first && !earlier.some(({ type, metadata }) => type === event && metadata?.recipient !== undefined))
      counts[first] += 1;
    if (!this.isSent && isSentNow) counts.sent += 1;
    this.isSent ||= isSentNow;
    if (!this.isDelivered && status === "delivered") counts.delivered += 1;
    this.isDelivered ||= status === "delivered";
    if (this.#status === status) return;
    this.#status = status;
    if (status === "bounced") counts.bounced += 1;
    if (status === "failed" || status === "rejected") counts.failed += 1;
    if (!this.isSent && (status === "bounced" || status === "rejected")) counts.refused += 1;
  }

  #of(at: number, domain: string): RollupCounts {
    const key = `${hourOf(at)} ${domain}`;
    const counts = this.#counts.get(key) ?? zeroCounts(at, domain);
    this.#counts.set(key, counts);
    return counts;
  }
}
