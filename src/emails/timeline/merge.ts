import { moveRecipient, type RecipientFact, type RecipientState, statusOf } from "../rules.ts";
import { type EmailState, type EventEntry, recipientKey } from "./state.ts";

/** One change of a recipient: the move in the table of `rules.ts`, and the metadata of its event. */
export interface Outcome {
  on: RecipientFact;
  metadata?: Record<string, unknown>;
  /** Set when the recipient goes on the workspace's suppression list, with the reason. */
  suppress?: "bounce" | "complaint" | "unsubscribe";
}

/** An outcome of one recipient of one email. The id is also the event's id, so the same fact is counted once. */
export interface Fact extends Outcome {
  id: string;
  /** Canonical form of the recipient's address. */
  recipient: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Recipients that entered a state, by recipient domain; '' counts emails (migrations/0005_rollups.sql). */
export interface Tally {
  domain: string;
  sent: number;
  delivered: number;
  bounced: number;
  failed: number;
  opens: number;
  clicks: number;
}

/** What a tally counts, by the names of the columns. */
export const tallied = ["sent", "delivered", "bounced", "failed", "opens", "clicks"] as const;

/** What facts make of an email: the new state, and what to add to the roll-ups. */
export interface Merged {
  state: EmailState;
  tallies: Tally[];
  /** Recipients to put on the workspace's suppression list. */
  suppress: { email: string; reason: "bounce" | "complaint" | "unsubscribe" }[];
  /** False when every fact was known already. */
  changed: boolean;
}

/**
 * Merges facts into an email, in any order and any number of times: states follow the table of moves, each
 * fact's event is written once, and roll-ups are counted from the state before. Pure.
 */
export function mergeFacts(before: EmailState, facts: readonly Fact[], attempt: number): Merged {
  const known = new Set(before.events.map(({ id }) => id));
  const ours = new Set(before.recipients.map(recipientKey));
  const fresh = facts.filter(({ id, recipient }) => {
    if (known.has(id) || !ours.has(recipient)) return false;
    known.add(id);
    return true;
  });
  if (fresh.length === 0) return { state: before, tallies: [], suppress: [], changed: false };
  const recipients = before.recipients.map((recipient) => ({ ...recipient }));
  const events = [...before.events];
  const tallies = new Map<string, Tally>();
  for (const fact of fresh) {
    const recipient = recipients.find((candidate) => recipientKey(candidate) === fact.recipient);
    if (!recipient) continue;
    const { to, event } = moveRecipient(recipient.state, fact.on);
    const entry: EventEntry = { id: fact.id, type: event, at: fact.at };
    events.push({ ...entry, metadata: { recipient: recipient.email, ...fact.metadata } });
    countRecipient(tallies, fact.recipient, recipient.state, to);
    recipient.state = to;
  }
  const status = before.status === "cancelled" ? before.status : statusOf(recipients.map(({ state }) => state));
  const latest = fresh.reduce((last, { at }) => Math.max(last, at), 0);
  const state: EmailState = {
    ...before,
    recipients,
    events,
    status,
    attempts: Math.max(before.attempts, attempt),
    version: before.version + 1,
    sentAt: before.sentAt ?? (recipients.some(({ state }) => handedOver(state)) ? latest : null),
    deliveredAt: before.deliveredAt ?? (status === "delivered" ? latest : null),
  };
  countEmail(tallies, before, state);
  const suppress = fresh.flatMap(({ recipient, suppress: reason }) => (reason ? [{ email: recipient, reason }] : []));
  return { state, tallies: [...tallies.values()].filter(counts), suppress, changed: true };
}

const counts = (tally: Tally) => tallied.some((field) => tally[field] > 0);
const handedOver = (state: RecipientState) => state === "sent" || arrived(state);
const arrived = (state: RecipientState) => state === "delivered" || state === "complained";

/** A tally of nothing. */
export function newTally(domain: string): Tally {
  return { domain, sent: 0, delivered: 0, bounced: 0, failed: 0, opens: 0, clicks: 0 };
}

const tallyOf = (tallies: Map<string, Tally>, domain: string): Tally => {
  const tally = tallies.get(domain) ?? newTally(domain);
  tallies.set(domain, tally);
  return tally;
};

/** The domain of a canonical address. */
export const domainOf = (key: string) => key.slice(key.lastIndexOf("@") + 1);

/** Each recipient counts once as sent, delivered, bounced and failed, whatever comes late or twice. */
function countRecipient(tallies: Map<string, Tally>, key: string, from: RecipientState, to: RecipientState): void {
  if (from === to) return;
  const tally = tallyOf(tallies, domainOf(key));
  if ((from === "queued" || from === "failed") && handedOver(to)) tally.sent += 1;
  if (!arrived(from) && arrived(to)) tally.delivered += 1;
  if (to === "bounced") tally.bounced += 1;
  if (to === "failed" || to === "rejected") tally.failed += 1;
}

/** The same for the email as a whole. */
function countEmail(tallies: Map<string, Tally>, before: EmailState, after: EmailState): void {
  const tally = tallyOf(tallies, "");
  if (before.sentAt === null && after.sentAt !== null) tally.sent += 1;
  if (before.deliveredAt === null && after.deliveredAt !== null) tally.delivered += 1;
  if (before.status === after.status) return;
  if (after.status === "bounced") tally.bounced += 1;
  if (after.status === "failed" || after.status === "rejected") tally.failed += 1;
}
