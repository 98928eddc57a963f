import { addressKey } from "../../lib/addresses.ts";
import { utf8 } from "../../lib/bytes.ts";
import { idOfTime, uuidFromHash } from "../../lib/ids.ts";
import type { ReportedOutcome, ReportedResult } from "../../mail/egress-tickets/report.ts";
import type { Ticket } from "../../mail/egress-tickets/ticket.ts";
import {
  type Attempt,
  countAttempts,
  isTooLate,
  lastAnnounced,
  toOutcome,
  waitAfter,
  waitedTooLong,
  waitsForReceiver,
} from "../delivery/index.ts";
import { type EmailState, type Fact, type Outcome, queuedAt, recipientKey } from "../emails/index.ts";

/** The change of an email by a report. */
export interface ReportedUpdate {
  facts: Fact[];
  /** Recipients, by canonical address, that the egress does not hold any more and that are to be tried again. */
  givenBack: ReadonlySet<string>;
  /** When recipients that are left are tried again, in ms since 1970. */
  nextAt: number;
}

interface Circumstances {
  state: EmailState;
  ticket: Ticket;
  /** The lease of the row is still held. Without it only what is final counts. */
  isLeased: boolean;
  now: number;
  /** 0 to 1, which spreads the next attempt. */
  random: number;
}

/** Converts a report to facts with the same ids at each repetition, so each counts once. Drops those on other addresses. */
export async function toFacts(report: ReportedOutcome, about: Circumstances): Promise<ReportedUpdate> {
  const { state, ticket, now } = about;
  const facts: Fact[] = [];
  const waits: number[] = [];
  const givenBack = new Set<string>();
  for (const { address, result } of report.recipients) {
    const key = addressKey(address);
    const recipient = state.recipients.find((entry) => recipientKey(entry) === key);
    if (!recipient) continue;
    const nextAt = nextAttemptAt(about, result);
    if (nextAt !== null) {
      waits.push(nextAt);
      givenBack.add(key);
    }
    const isHeld = recipient.state === "held" || facts.some((fact) => fact.recipient === key && fact.on === "held");
    const outcome = toReportedOutcome(result, { ...about, isHeld }, nextAt);
    if (outcome === null || (!about.isLeased && !isFinal(outcome))) continue;
    // The same each time the report is repeated.
    const hash = await uuidFromHash(utf8(`${ticket.token} ${state.id} ${key} ${outcome.on}`));
    const id = result.at === undefined ? hash : idOfTime(result.at, hash);
    facts.push({ id, recipient: key, at: timeOf(result, about), ...outcome });
  }
  return { facts, givenBack, nextAt: waits.length > 0 ? Math.max(...waits) : lastAnnounced(state, now) };
}

/** Returns when a recipient is tried again. Null: not at all, or not yet known. */
function nextAttemptAt({ state, ticket, now, random }: Circumstances, result: ReportedResult): number | null {
  if (result.kind === "returned") return now;
  if (result.kind === "paced") return now + result.seconds * 1_000;
  if (result.kind !== "deferred" && result.kind !== "ambiguous") return null;
  const wait = waitAfter(countAttempts(state, ticket.attempt) + 1, random);
  return wait === null ? null : now + wait;
}

function toReportedOutcome(
  result: ReportedResult,
  { state, ticket, isHeld, now }: Circumstances & { isHeld: boolean },
  nextAt: number | null,
): Outcome | null {
  const relay = "relay" in result ? result.relay : undefined;
  const attempt: Attempt = {
    relay: relay ?? "egress",
    number: ticket.attempt,
    nextAt,
    afterInterruption: ticket.isRepeated,
  };
  if (result.kind === "paced" && isTooLate({ mail: { queuedAt: queuedAt(state) } }, now))
    return waitedTooLong(attempt, result);
  if (result.kind === "paced" || result.kind === "returned") {
    // Without an event the end of the attempt would be forgotten while the egress holds the email for others, and a `sent` email
    // would stay held.
    if ((state.recipients.length === 1 && !isHeld) || nextAt === null) return null;
    const reason = result.kind === "paced" ? `${result.label}: ${result.reason}` : result.reason;
    return waitsForReceiver(attempt, { reason, nextAt });
  }
  if (result.kind === "held") return { on: "held", metadata: { relay: attempt.relay, attempt: attempt.number } };
  const outcome = toOutcome(result.kind === "accepted" ? { ...result, dsnRequested: false } : result, attempt);
  // The event of a delivery is stored in a short form, which has no further field.
  if (result.kind === "accepted" || result.receiver === undefined) return outcome;
  return { ...outcome, metadata: { ...outcome.metadata, receiver: result.receiver } };
}

/** Returns when a result came, by the clock of the egress as far as that can be. */
function timeOf({ at }: ReportedResult, { state, now }: Circumstances): number {
  return at === undefined ? now : Math.min(Math.max(at, state.createdAt), now);
}

/** Returns whether an outcome is the last word of a receiver. */
const isFinal = ({ on }: Outcome) => on === "accepted-final" || on === "recipient-refused" || on === "message-refused";
