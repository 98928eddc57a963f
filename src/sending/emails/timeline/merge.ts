import type { EventEntry } from "../../../platform/db/email-json.ts";
import type { SoftBounceFact } from "../../suppressions/index.ts";
import { isHandedOver, type RecipientFact, statusOf, transitionOf } from "../rules.ts";
import { type RollupCounts, RollupTally } from "./rollup-counts.ts";
import { type EmailState, ERASED, recipientKey } from "./state.ts";

/** Reason for which an address is suppressed. `domain-failure`: its whole domain failed; the second failure suppresses it. */
type SuppressReason = "bounce" | "complaint" | "unsubscribe" | "domain-failure";

/** A change of one recipient: the fact in the table of transitions (`rules.ts`), and the metadata of its event. */
export interface Outcome {
  on: RecipientFact;
  metadata?: Record<string, unknown>;
  /** Set when the recipient goes on the workspace's suppression list, with the reason. */
  suppress?: SuppressReason;
  /** True when the egress accepted an email to an address that had soft bounces. */
  isAfterSoftBounces?: true;
}

/** An outcome for one recipient of one email. `id` becomes the id of the event, so a repeated fact counts once. */
export interface Fact extends Outcome {
  id: string;
  /** Canonical form of the recipient's address; null for an event of the email as a whole, which changes no recipient. */
  recipient: string | null;
  /** Milliseconds since 1970. */
  at: number;
}

/** The new state of an email after a merge, and the rows to write with it. */
export interface MergeResult {
  state: EmailState;
  rollups: RollupCounts[];
  /** Canonical addresses to put on the suppression list of the workspace. */
  suppress: { email: string; reason: SuppressReason }[];
  /** Canonical addresses that a retry proved to work, whose suppression by an earlier bounce ends (docs/contract/emails.md#retry). */
  unsuppress: string[];
  /** Canonical addresses to which a DSN confirmed the delivery. */
  confirmed: string[];
  /** Facts about the soft bounces of recipients. */
  softBounces: Pick<SoftBounceFact, "email" | "fact">[];
  /** Events that are new, also those that are only counted. */
  added: EventEntry[];
  /** False when every fact is already recorded. */
  changed: boolean;
}

/**
 * Merges facts into the state of an email. The order and repetition of facts do not matter: recipient states follow the
 * table of transitions (`rules.ts`), and each fact adds one event. `attempt` is the number of the delivery attempt, 0 for
 * feedback. Facts about addresses that are not recipients, or were erased, are dropped. Pure.
 */
export function mergeFacts(before: EmailState, facts: readonly Fact[], attempt: number): MergeResult {
  const known = new Set(before.events.map(({ id }) => id));
  const recipientKeys = new Set(before.recipients.map(recipientKey).filter((key) => key !== ERASED));
  const newFacts = facts.filter(({ id, recipient }) => {
    if (known.has(id) || (recipient !== null && !recipientKeys.has(recipient))) return false;
    known.add(id);
    return true;
  });
  if (newFacts.length === 0)
    return {
      state: before,
      rollups: [],
      suppress: [],
      unsuppress: [],
      confirmed: [],
      softBounces: [],
      added: [],
      changed: false,
    };
  const recipients = before.recipients.map((recipient) => ({ ...recipient }));
  const events = [...before.events];
  const tally = new RollupTally(before);
  // The recipients of an email that was cancelled before its time are still queued.
  const isNeverSent = before.status === "cancelled" && before.recipients.every(({ state }) => state === "queued");
  let status = before.status;
  for (const fact of newFacts) {
    if (fact.recipient === null) {
      events.push({ id: fact.id, type: transitionOf("queued", fact.on).event, at: fact.at, metadata: fact.metadata });
      continue;
    }
    const recipient = recipients.find((candidate) => recipientKey(candidate) === fact.recipient);
    if (!recipient) continue;
    const from = recipient.state;
    const { to, event } = transitionOf(from, fact.on);
    recipient.state = to;
    const states = recipients.map(({ state }) => state);
    status = isNeverSent ? before.status : statusOf(states);
    const { at, metadata } = fact;
    tally.add({
      at,
      recipient,
      from,
      event,
      metadata,
      status,
      earlier: events,
      isSent: states.some(isHandedOver),
    });
    const entry: EventEntry = { id: fact.id, type: event, at };
    events.push({ ...entry, metadata: { recipient: recipient.email, ...metadata } });
  }
  const latest = newFacts.reduce((last, { at }) => Math.max(last, at), 0);
  const state: EmailState = {
    ...before,
    recipients,
    events,
    status,
    attempts: Math.max(before.attempts, attempt),
    version: before.version + 1,
    sentAt: before.sentAt ?? (tally.isSent ? latest : null),
    deliveredAt: before.deliveredAt ?? (tally.isDelivered ? latest : null),
  };
  const suppress = newFacts.flatMap(({ recipient, suppress: reason }) =>
    reason && recipient !== null ? [{ email: recipient, reason }] : [],
  );
  const softBounces = newFacts.flatMap(toSoftBounce);
  const proofs = newFacts.filter(({ on }) => on === "dsn-delivered");
  const unsuppress = before.retriedAt === null ? [] : proofs.flatMap(({ recipient }) => recipient ?? []);
  const confirmed = newFacts.flatMap(({ recipient, on }) => (on === "dsn-delivered" ? (recipient ?? []) : []));
  const added = events.slice(before.events.length);
  return { state, rollups: tally.counts(), suppress, unsuppress, confirmed, softBounces, added, changed: true };
}

function toSoftBounce(fact: Fact): MergeResult["softBounces"] {
  const { recipient: email, on, isAfterSoftBounces } = fact;
  if (email === null) return [];
  if (isSoftBounce(fact)) return [{ email, fact: on === "dsn-failed" ? "returned" : "refused" }];
  if (on === "dsn-delivered") return [{ email, fact: "delivered" }];
  return isAfterSoftBounces ? [{ email, fact: "accepted" }] : [];
}

/** Returns whether an email bounced softly, also after refusals for now up to its last attempt, other than a closed session (421). */
function isSoftBounce({ on, suppress, metadata = {} }: Fact): boolean {
  const { bounce_type: type, phase, response } = metadata;
  if (on === "gave-up") return phase === "rcpt" && typeof response === "string" && !response.startsWith("421");
  return (on === "dsn-failed" || on === "recipient-refused") && type === "soft" && suppress === undefined;
}
