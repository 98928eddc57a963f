import { type RecipientFact, type RecipientState, statusOf, transitionOf } from "../rules.ts";
import { type EmailState, type EventEntry, recipientKey } from "./state.ts";

/** Reason for which an address is suppressed. `domain-failure`: its whole domain failed; the second failure suppresses it. */
type SuppressReason = "bounce" | "complaint" | "unsubscribe" | "domain-failure";

/** A change of one recipient: the fact in the table of transitions (`rules.ts`), and the metadata of its event. */
export interface Outcome {
  on: RecipientFact;
  metadata?: Record<string, unknown>;
  /** Set when the recipient goes on the workspace's suppression list, with the reason. */
  suppress?: SuppressReason;
}

/** An outcome for one recipient of one email. `id` becomes the id of the event, so a repeated fact counts once. */
export interface Fact extends Outcome {
  id: string;
  /** Canonical form of the recipient's address; null for an event of the email as a whole, which changes no recipient. */
  recipient: string | null;
  /** Milliseconds since 1970. */
  at: number;
}

/** Increments of the roll-up row of one recipient domain; the domain '' counts emails (rollups.ts says where they are stored). */
export interface RollupCounts {
  domain: string;
  sent: number;
  delivered: number;
  bounced: number;
  failed: number;
  opens: number;
  clicks: number;
}

/** Counters of a roll-up row, by column name. */
export const rollupColumns = ["sent", "delivered", "bounced", "failed", "opens", "clicks"] as const;

/** The new state of an email after a merge, and the rows to write with it. */
export interface MergeResult {
  state: EmailState;
  rollups: RollupCounts[];
  /** Canonical addresses to put on the suppression list of the workspace. */
  suppress: { email: string; reason: SuppressReason }[];
  /** Canonical addresses that a retry proved to work, whose suppression by an earlier bounce ends (decisions 4). */
  release: string[];
  /** Canonical addresses to which a DSN confirmed the delivery. */
  confirmed: string[];
  /** False when every fact is already recorded. */
  changed: boolean;
}

/**
 * Merges facts into the state of an email. The order and repetition of facts do not matter: recipient states follow the
 * table of transitions (`rules.ts`), and each fact adds one event. `attempt` is the number of the delivery attempt, 0 for
 * feedback. Facts about addresses that are not recipients are dropped. Pure.
 */
export function mergeFacts(before: EmailState, facts: readonly Fact[], attempt: number): MergeResult {
  const known = new Set(before.events.map(({ id }) => id));
  const recipientKeys = new Set(before.recipients.map(recipientKey));
  const newFacts = facts.filter(({ id, recipient }) => {
    if (known.has(id) || (recipient !== null && !recipientKeys.has(recipient))) return false;
    known.add(id);
    return true;
  });
  if (newFacts.length === 0)
    return { state: before, rollups: [], suppress: [], release: [], confirmed: [], changed: false };
  const recipients = before.recipients.map((recipient) => ({ ...recipient }));
  const events = [...before.events];
  const rollups = new Map<string, RollupCounts>();
  for (const fact of newFacts) {
    if (fact.recipient === null) {
      events.push({ id: fact.id, type: transitionOf("queued", fact.on).event, at: fact.at, metadata: fact.metadata });
      continue;
    }
    const recipient = recipients.find((candidate) => recipientKey(candidate) === fact.recipient);
    if (!recipient) continue;
    const { to, event } = transitionOf(recipient.state, fact.on);
    const entry: EventEntry = { id: fact.id, type: event, at: fact.at };
    events.push({ ...entry, metadata: { recipient: recipient.email, ...fact.metadata } });
    countRecipient(rollups, fact.recipient, recipient.state, to);
    recipient.state = to;
  }
  // The recipients of an email that was cancelled before its time are still queued.
  const isNeverSent = before.status === "cancelled" && before.recipients.every(({ state }) => state === "queued");
  const status = isNeverSent ? before.status : statusOf(recipients.map(({ state }) => state));
  const latest = newFacts.reduce((last, { at }) => Math.max(last, at), 0);
  const state: EmailState = {
    ...before,
    recipients,
    events,
    status,
    attempts: Math.max(before.attempts, attempt),
    version: before.version + 1,
    sentAt: before.sentAt ?? (recipients.some(({ state }) => isSent(state)) ? latest : null),
    deliveredAt: before.deliveredAt ?? (status === "delivered" ? latest : null),
  };
  countEmail(rollups, before, state);
  const suppress = newFacts.flatMap(({ recipient, suppress: reason }) =>
    reason && recipient !== null ? [{ email: recipient, reason }] : [],
  );
  const proofs = newFacts.filter(({ on }) => on === "dsn-delivered");
  const release = before.retriedAt === null ? [] : proofs.flatMap(({ recipient }) => recipient ?? []);
  const confirmed = newFacts.flatMap(({ recipient, on }) => (on === "dsn-delivered" ? (recipient ?? []) : []));
  return { state, rollups: [...rollups.values()].filter(isNonZero), suppress, release, confirmed, changed: true };
}

const isNonZero = (counts: RollupCounts) => rollupColumns.some((field) => counts[field] > 0);
const isSent = (state: RecipientState) => state === "sent" || isDelivered(state);
const isDelivered = (state: RecipientState) => state === "delivered" || state === "complained";

/** Returns roll-up increments of zero for a recipient domain. */
export function zeroCounts(domain: string): RollupCounts {
  return { domain, sent: 0, delivered: 0, bounced: 0, failed: 0, opens: 0, clicks: 0 };
}

const countsOf = (rollups: Map<string, RollupCounts>, domain: string): RollupCounts => {
  const counts = rollups.get(domain) ?? zeroCounts(domain);
  rollups.set(domain, counts);
  return counts;
};

/** Returns the domain of a canonical address. */
export const domainOf = (key: string) => key.slice(key.lastIndexOf("@") + 1);

/** Counts the transition of one recipient. A recipient counts at most once as sent, delivered, bounced and failed. */
function countRecipient(
  rollups: Map<string, RollupCounts>,
  key: string,
  from: RecipientState,
  to: RecipientState,
): void {
  if (from === to) return;
  const counts = countsOf(rollups, domainOf(key));
  if ((from === "queued" || from === "failed") && isSent(to)) counts.sent += 1;
  if (!isDelivered(from) && isDelivered(to)) counts.delivered += 1;
  if (to === "bounced") counts.bounced += 1;
  if (to === "failed" || to === "rejected") counts.failed += 1;
}

/** Counts the transition of the whole email. */
function countEmail(rollups: Map<string, RollupCounts>, before: EmailState, after: EmailState): void {
  const counts = countsOf(rollups, "");
  if (before.sentAt === null && after.sentAt !== null) counts.sent += 1;
  if (before.deliveredAt === null && after.deliveredAt !== null) counts.delivered += 1;
  if (before.status === after.status) return;
  if (after.status === "bounced") counts.bounced += 1;
  if (after.status === "failed" || after.status === "rejected") counts.failed += 1;
}
