import { ConnectError, type RecipientResult } from "../../../mail/smtp/transport.ts";
import type { Ctx } from "../../../platform/context.ts";
import { type Fact, isPending, type Outcome, type RecipientEntry, recipientKey } from "../../emails/index.ts";
import { type ClaimedMail, suppressedName } from "../claim/index.ts";
import { type MailToSend, simulate } from "../prepare/index.ts";
import { waitAfter } from "../rules.ts";
import { type Attempt, countAttempts, egressUnreachable, toOutcome } from "./outcome.ts";
import type { DeliveryUpdate } from "./pending-updates.ts";

/** Returns the recipients of this attempt. */
export function recipientsToTry({ mail, suppressedFacts }: MailToSend): RecipientEntry[] {
  const dropped = new Set(suppressedFacts.map(({ recipient }) => recipient));
  return mail.state.recipients.filter((entry) => isPending(entry.state) && !dropped.has(recipientKey(entry)));
}

/** The context of an attempt: its clock, its ids, and the host name of the egress. */
export type AttemptCtx = Pick<Ctx, "now" | "newId"> & { relay: string };

/** Returns the circumstances of this attempt. All recipients share one time for the next. */
function attemptOf(ctx: AttemptCtx, { mail }: MailToSend): Attempt {
  const number = mail.state.attempts + 1;
  const wait = waitAfter(countAttempts(mail.state, number) + 1, Math.random());
  return {
    relay: ctx.relay,
    number,
    nextAt: wait === null ? null : ctx.now() + wait,
    afterInterruption: mail.claims > 1,
  };
}

/**
 * Returns the update with the outcome of each of these recipients, by default all of this attempt. `resultOf` returns the
 * server's result, an outcome decided without a server, or null for a simulated recipient.
 */
export function toUpdate(
  ctx: AttemptCtx,
  job: MailToSend,
  resultOf: (recipient: RecipientEntry, attempt: Attempt) => RecipientResult | Outcome | null,
  recipients: readonly RecipientEntry[] = recipientsToTry(job),
): DeliveryUpdate {
  const attempt = attemptOf(ctx, job);
  const at = ctx.now();
  const facts: Fact[] = [...job.suppressedFacts];
  let isDeferred = false;
  let isAccepted = false;
  for (const recipient of recipients) {
    const result = resultOf(recipient, attempt);
    isAccepted ||= result !== null && "kind" in result && result.kind === "accepted";
    for (const outcome of outcomesOf(recipient, result, attempt)) {
      isDeferred ||= outcome.on === "deferred";
      const metadata = withUntrackedLinks(outcome, job);
      const key = recipientKey(recipient);
      const isAfterSoftBounces = isAcceptance(outcome) && job.softBounced.has(suppressedName(job.mail.state.n, key));
      const after = isAfterSoftBounces ? { isAfterSoftBounces } : {};
      facts.push({ id: ctx.newId(), recipient: key, at, ...outcome, ...after, metadata });
    }
  }
  const next = isDeferred && attempt.nextAt !== null ? attempt.nextAt : undefined;
  return { facts, attempt: attempt.number, next, isAccepted };
}

const isAcceptance = ({ on }: Outcome) => on === "accepted-final" || on === "accepted-dsn-to-come";

/** Returns the metadata of an outcome, with the links that are untracked (docs/contract/tracking.md#what-is-tracked). */
function withUntrackedLinks(outcome: Outcome, { untrackedLinks = 0 }: MailToSend): Outcome["metadata"] {
  const { metadata } = outcome;
  return isAcceptance(outcome) && untrackedLinks > 0 ? { ...metadata, untracked_links: untrackedLinks } : metadata;
}

function outcomesOf(recipient: RecipientEntry, result: RecipientResult | Outcome | null, attempt: Attempt): Outcome[] {
  if (result === null) return simulate(recipient.email, attempt);
  return ["on" in result ? result : toOutcome(result, attempt)];
}

const NO_CONNECTION = new ConnectError("connect", null, "no connection to the egress");

/**
 * Returns the update that defers an email that failed before MAIL FROM. A retried email returns to its retry time without an event, because
 * this attempt does not count (docs/contract/delivery.md#outages) and an egress that fails often would otherwise fill the row with events.
 */
export function toUnreachableUpdate(ctx: AttemptCtx, job: MailToSend, error: ConnectError | null): DeliveryUpdate {
  const { mail, suppressedFacts } = job;
  if (!mail.isAfterOutage) {
    const update = toUpdate(ctx, job, (_, attempt) => egressUnreachable(attempt, error ?? NO_CONNECTION));
    return { ...update, isUnreachable: true };
  }
  const next = retryTimeOf(mail, ctx.now());
  return { facts: suppressedFacts, attempt: 0, next, isUnreachable: true };
}

/** Returns the time that the last `deferred` event announced or, when it is over, the same wait from now. */
function retryTimeOf({ state }: ClaimedMail, now: number): number {
  const announced = state.events.findLast(({ type }) => type === "deferred")?.metadata?.next_attempt_at;
  const retryAt = typeof announced === "string" ? Date.parse(announced) : Number.NaN;
  if (retryAt > now) return retryAt;
  return now + (waitAfter(Math.max(1, countAttempts(state)), Math.random()) ?? 0);
}
