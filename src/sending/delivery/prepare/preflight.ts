import { isPausedSource } from "../../../platform/bulk-pauses/rules.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { MAX_CLAIMS, SPLIT_AT_CLAIM } from "../../../platform/outbox/rules.ts";
import { MAIN_EGRESS } from "../../../platform/settings/named-egresses.ts";
import { type EmailState, type Fact, isPending, recipientKey } from "../../emails/index.ts";
import { type Claim, type ClaimedMail, suppressedName } from "../claim/index.ts";
import type { UnusableEgress } from "../egresses/index.ts";
import type { DeliveryUpdate } from "../record/index.ts";
import { checkSender, EGRESS_CHECK_MS, EGRESS_WAIT_MAX_MS, PAUSE_WAIT_MS } from "../rules.ts";
import { isSimulated } from "./simulator.ts";

/** An email to send, with the facts about its suppressed recipients. */
export interface MailToSend {
  mail: ClaimedMail;
  suppressedFacts: Fact[];
  /** Recipients whose last emails had soft bounces, named by `suppressedName`. */
  softBounced: ReadonlySet<string>;
  /** Links that are not tracked because the email has too many. */
  untrackedLinks?: number;
}

/** The decision about one email before dispatch: send it, or write this update instead. */
export type Decision = { send: MailToSend } | { update: DeliveryUpdate };

/**
 * Decides about claimed emails right before dispatch: claim count, sender, pause, suppressions, and whether there is an egress
 * (docs/contract/delivery.md#checks-before-dispatch). Reads only the claim, not the database.
 */
export function preflight(
  ctx: MailCtx,
  claim: Claim,
  issueOf: (mail: ClaimedMail) => UnusableEgress | null,
): { mail: ClaimedMail; decision: Decision }[] {
  const mailsOf = Map.groupBy(claim.mails, ({ outboxId }) => outboxId);
  return claim.mails.map((mail) => {
    const sharesRow = (mailsOf.get(mail.outboxId)?.length ?? 0) > 1;
    return { mail, decision: decide(ctx, mail, claim, sharesRow, issueOf(mail)) };
  });
}

function decide(
  ctx: MailCtx,
  mail: ClaimedMail,
  claim: Claim,
  sharesRow: boolean,
  egressIssue: UnusableEgress | null,
): Decision {
  const now = ctx.now();
  if (mail.claims >= SPLIT_AT_CLAIM && sharesRow) return { update: reschedule(now) };
  if (mail.claims > MAX_CLAIMS)
    return {
      update: failRemaining(ctx, mail, `${MAX_CLAIMS} delivery runs were interrupted while they sent this email`),
    };
  if (mail.broadcast?.isCancelled) return { update: cancelRemaining(ctx, mail, "broadcast") };
  // With its list or alone (docs/contract/broadcasts.md#audience).
  if (mail.broadcast?.isContactDeleted) return { update: cancelRemaining(ctx, mail, "contact deleted") };
  if (claim.withoutTopic.has(mail.state.n)) return { update: cancelRemaining(ctx, mail, "topic deleted") };
  const verdict = checkSender(mail.sender);
  if (verdict.kind === "wait") return { update: reschedule(now + PAUSE_WAIT_MS) };
  if (verdict.kind === "fail") return { update: failRemaining(ctx, mail, verdict.reason) };
  const members = mail.sender.sandbox?.members;
  if (members && !queuedRecipientKeys(mail).every((key) => members.has(key)))
    return { update: failRemaining(ctx, mail, "a recipient is no member of the workspace any more") };
  // Whole rows of a stopped workspace wait already (run.ts).
  if (isPausedSource(mail.sender.bulkPause, mail.source)) return { update: reschedule(now + PAUSE_WAIT_MS) };
  const isSuppressed = (key: string) => claim.suppressed.has(suppressedName(mail.state.n, key));
  const suppressed = queuedRecipientKeys(mail)
    .filter(isSuppressed)
    .map((recipient): Fact => ({ id: ctx.newId(), recipient, on: "suppressed", at: now }));
  if (suppressed.length === queuedRecipientKeys(mail).length) return { update: { facts: suppressed, attempt: 0 } };
  if (egressIssue === null || !hasExternalRecipients(ctx, mail)) {
    return { send: { mail, suppressedFacts: suppressed, softBounced: claim.softBounced } };
  }
  const wait = waitForEgress(ctx, mail, egressIssue);
  return { update: wait ?? failRemaining(ctx, mail, waitFailure(egressIssue)) };
}

function hasExternalRecipients(ctx: MailCtx, mail: ClaimedMail): boolean {
  const domain = ctx.settings.simulatorDomain;
  return mail.state.recipients.some(({ state, email }) => isPending(state) && !isSimulated(email, domain));
}

/** Returns an update without facts that gives the email its own outbox row at `dueAt`. */
export const reschedule = (dueAt: number): DeliveryUpdate => ({
  facts: [],
  attempt: 0,
  next: dueAt,
});

/** Returns an update that fails every recipient still queued, with this reason. */
function failRemaining(ctx: MailCtx, mail: ClaimedMail, reason: string): DeliveryUpdate {
  const at = ctx.now();
  const facts = queuedRecipientKeys(mail).map(
    (recipient): Fact => ({ id: ctx.newId(), recipient, on: "gave-up", at, metadata: { reason } }),
  );
  return { facts, attempt: 0 };
}

/** Returns an update that cancels every recipient still queued, with this reason. */
function cancelRemaining(
  ctx: MailCtx,
  mail: ClaimedMail,
  reason: "broadcast" | "contact deleted" | "topic deleted",
): DeliveryUpdate {
  const at = ctx.now();
  const facts = queuedRecipientKeys(mail).map(
    (recipient): Fact => ({ id: ctx.newId(), recipient, on: "cancelled", at, metadata: { reason } }),
  );
  return { facts, attempt: 0 };
}

function queuedRecipientKeys(mail: ClaimedMail): string[] {
  return mail.state.recipients.filter(({ state }) => isPending(state)).map(recipientKey);
}

/** Reasons that tenants see in the event. */
const reasons: Readonly<Record<UnusableEgress["issue"], string>> = {
  not_configured: "no egress is configured",
  malformed: "the egress setting is malformed",
  misconfigured: "the service is not configured completely",
};

/**
 * Returns the update of an email that cannot be sent because the deployment has no egress
 * (docs/contract/delivery.md#missing-egress): one `deferred` event for the whole period, no attempt, the next check in 10
 * minutes or, for that of EGRESS_URL, when it responds. Returns null after 5 days: the email fails.
 */
function waitForEgress(ctx: MailCtx, { state }: ClaimedMail, { issue, name }: UnusableEgress): DeliveryUpdate | null {
  const now = ctx.now();
  const since = waitsForEgressSince(state.events);
  if (since !== null && now - since >= EGRESS_WAIT_MAX_MS) return null;
  const metadata = { egress: issue, reason: reasons[issue] };
  const event: Fact = { id: ctx.newId(), recipient: null, on: "deferred", at: now, metadata };
  const next = now + EGRESS_CHECK_MS;
  return { facts: since === null ? [event] : [], attempt: 0, next, isUnreachable: name === MAIN_EGRESS };
}

/** Returns the reason of an email that waited 5 days for an egress. */
const waitFailure = ({ issue }: UnusableEgress): string => `${reasons[issue]}, for 5 days`;

/** Time of the event that started the wait; null when the last `deferred` event has another cause. */
function waitsForEgressSince(events: EmailState["events"]): number | null {
  const last = events.findLast(({ type }) => type === "deferred");
  return last?.metadata?.egress === undefined ? null : last.at;
}
