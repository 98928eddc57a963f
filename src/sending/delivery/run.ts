import { isPausedSource } from "../../platform/bulk-pauses/rules.ts";
import type { MailCtx, WakeUp } from "../../platform/context.ts";
import { countStatements } from "../../platform/db/count-statements.ts";
import { isOfContent } from "../../platform/db/repeat-call.ts";
import { withMail } from "../../platform/jobs/shards.ts";
import { logEmails } from "../../platform/log-lines/log-emails.ts";
import { attemptApart } from "../../platform/outbox/halves.ts";
import { type Lease, newLease, releaseStatement } from "../../platform/outbox/lease.ts";
import { CLAIM_ROWS, ROW_EMAILS } from "../../platform/outbox/rules.ts";
import { ContentRanges } from "../emails/index.ts";
import { waitStoppedStatement } from "../rates/index.ts";
import { type ActiveClaim, type Claim, ClaimError, type ClaimedMail, claimMail, setAside } from "./claim/index.ts";
import type { Egress, UnusableEgress } from "./egresses/index.ts";
import { DeliveryRun } from "./hand-over/index.ts";
import { ContentPacks, preflight } from "./prepare/index.ts";
import { type DeliveryUpdate, OutcomeWriter } from "./record/index.ts";
import {
  CLAIM_STATEMENTS,
  closingStatements,
  mayClaim,
  mayContinue,
  newRunLimits,
  PAUSE_WAIT_MS,
  RUN_MS,
  type RunLimits,
} from "./rules.ts";

/** Delivers the emails of these outbox rows in a run of its own: `deliverRows` with its guarantees. Lowers `limits` by what it does. */
export async function deliver(
  ctx: MailCtx,
  wakeUps: readonly WakeUp[],
  egress: Egress | UnusableEgress,
  limits: RunLimits = newRunLimits(),
): Promise<void> {
  const run = new DeliveryRun(ctx, egress, limits);
  await deliverRows(ctx, wakeUps, run).finally(() => run.end());
}

/**
 * Delivers the emails of these outbox rows, except rows that another run has claimed, and due rows that fit into the
 * same claims. Safe to call with the same rows any number of times, concurrently or after a crash, because the claim is
 * a compare-and-set. When a limit of the run is reached, sends queue messages for the rows that are left. Throws when
 * outcomes could not be written; the leases then expire. Several calls may share a run, also for several databases.
 */
export async function deliverRows(ctx: MailCtx, wakeUps: readonly WakeUp[], run: DeliveryRun): Promise<void> {
  const { limits } = run;
  const started = ctx.now();
  const counted = withMail({ ...ctx, db: countStatements(ctx.db, limits) }, countStatements(ctx.mail, limits));
  const released: WakeUp[] = [];
  let pending = wakeUps;
  while (pending.length > 0 && ctx.now() - started < RUN_MS && mayClaim(limits)) {
    const chunk = pending.slice(0, CLAIM_ROWS);
    const claimed = await deliverChunk(counted, chunk, run).catch((error) =>
      deliverInHalves(counted, chunk, run, error),
    );
    released.push(...claimed.released);
    pending = [...skippedRows(chunk, claimed.emailsOf, run.maxClaimEmails), ...pending.slice(CLAIM_ROWS)];
  }
  const rest = [...pending, ...released];
  if (rest.length > 0) await ctx.wake(rest);
}

const toLogged = ({ state: { id }, requestId }: ClaimedMail) => ({ id, request_id: requestId });

/** Returns the rows that a claim skipped for its size. A claim that has room for a further row has skipped none. */
function skippedRows(chunk: readonly WakeUp[], emailsOf: ReadonlyMap<string, number>, maxEmails: number): WakeUp[] {
  const emails = chunk.reduce((sum, { id }) => sum + (emailsOf.get(id) ?? 0), 0);
  return emails > maxEmails - ROW_EMAILS ? chunk.filter(({ id }) => !emailsOf.has(id)) : [];
}

/** Result of one claim: the number of emails by id of each claimed row, and the rows released because of a limit. */
interface ClaimResult {
  emailsOf: ReadonlyMap<string, number>;
  released: WakeUp[];
}

/** Delivers the rows of a claim that failed by the content of a row: all, then in halves. Sets the row that fails alone aside. */
async function deliverInHalves(
  ctx: MailCtx,
  wakeUps: readonly WakeUp[],
  run: DeliveryRun,
  failure: unknown,
): Promise<ClaimResult> {
  if (!(failure instanceof ClaimError)) throw failure;
  if (!isOfContent(failure.cause)) throw failure.cause;
  const emailsOf = new Map<string, number>();
  const released: WakeUp[] = [];
  const attempt = async (some: readonly WakeUp[]) => {
    if (!mayClaim(run.limits)) return void released.push(...some);
    const result = await deliverChunk(ctx, some, run, false).catch((error) => {
      throw error instanceof ClaimError ? error.cause : error;
    });
    for (const [id, emails] of result.emailsOf) emailsOf.set(id, emails);
    released.push(...result.released);
  };
  await attemptApart(wakeUps, attempt, (row, error) => setAside(ctx, row, error));
  return { emailsOf, released };
}

async function deliverChunk(
  ctx: MailCtx,
  wakeUps: readonly WakeUp[],
  run: DeliveryRun,
  addsDue = true,
): Promise<ClaimResult> {
  const lease = newLease(ctx);
  const { emailsOf, claim } = await reserving(run.limits, CLAIM_STATEMENTS, async () => {
    const taken = await claimMail(ctx, wakeUps, lease, { addsDue, maxEmails: run.maxClaimEmails });
    const { emailsOf } = taken;
    for (const emails of emailsOf.values()) run.limits.emails -= emails;
    run.countClaim(ctx, taken);
    logEmails(ctx, "delivery.claimed", taken.mails.map(toLogged));
    return { emailsOf, claim: emailsOf.size === 0 ? taken : await releaseWaiting(ctx, lease, taken) };
  });
  if (claim.emailsOf.size === 0) return { emailsOf, released: [] };
  run.addStoredWaits(claim);
  for (const { issue, detail } of run.issuesOf(claim.mails)) ctx.log("egress.unavailable", { issue, detail });
  const released = await reserving(run.limits, closingStatements(claim.mails.length), () =>
    deliverClaim(ctx, lease, claim, wakeUps, run),
  );
  return { emailsOf, released };
}

/** Runs `act` while this number of statements is not available to other work. */
async function reserving<Result>(limits: RunLimits, statements: number, act: () => Promise<Result>): Promise<Result> {
  limits.statements -= statements;
  try {
    return await act();
  } finally {
    limits.statements += statements;
  }
}

/** Sends the claimed emails and writes their outcomes. Returns the rows released because of a limit. */
async function deliverClaim(
  ctx: MailCtx,
  lease: Lease,
  claim: Claim,
  wakeUps: readonly WakeUp[],
  run: DeliveryRun,
): Promise<WakeUp[]> {
  // The report of an egress that holds emails sets the place of their content.
  const packs = new ContentPacks(ctx, run.isHolding ? [] : claim.mails);
  const active: ActiveClaim = {
    ctx,
    outcomes: new OutcomeWriter(ctx, lease, claim, packs, run.notify),
    keys: Map.groupBy(claim.keys, (key) => key.domain_id),
    emailsOf: claim.emailsOf,
    queue: [],
    inProgress: 0,
    isOutage: claim.isOutage,
    contents: new ContentRanges(ctx),
    error: null,
  };
  try {
    const updates = queueMail(active, claim, run, new Set(wakeUps.map(({ id }) => id)));
    active.contents.plan(active.queue.map(({ mail }) => mail));
    await Promise.all([recordDecisions(active, updates, run.limits), run.send(active)]);
  } catch (error) {
    active.error ??= error;
  }
  const released = await active.outcomes.close().finally(() => packs.finish());
  if (active.error !== null) throw active.error;
  return released;
}

interface DecidedMail {
  mail: ClaimedMail;
  update: DeliveryUpdate;
}

/**
 * Queues the emails to send, those of small rows first: a lone email never waits behind a batch. Of these the named ones go first, then the
 * workspaces take turns. Returns the others.
 */
function queueMail(active: ActiveClaim, claim: Claim, run: DeliveryRun, named: ReadonlySet<string>): DecidedMail[] {
  const updates: DecidedMail[] = [];
  for (const { mail, decision } of preflight(active.ctx, claim, (mail) => run.issueOf(mail))) {
    if ("send" in decision) active.queue.push(decision.send);
    else updates.push({ mail, update: decision.update });
  }
  const byWorkspace = [...Map.groupBy(active.queue, ({ mail }) => mail.state.workspace).values()];
  const placed = byWorkspace.flatMap((emails) =>
    emails.map((email, place) => {
      const { outboxId } = email.mail;
      return { email, size: active.emailsOf.get(outboxId) ?? 0, turn: named.has(outboxId) ? -1 : place };
    }),
  );
  placed.sort((a, b) => a.size - b.size || a.turn - b.turn);
  active.queue.splice(0, active.queue.length, ...placed.map(({ email }) => email));
  return updates;
}

/** Records the outcomes that preflight decided, until a limit of the run is reached. */
async function recordDecisions(
  { outcomes }: ActiveClaim,
  updates: readonly DecidedMail[],
  limits: RunLimits,
): Promise<void> {
  for (const { mail, update } of updates) {
    if (!mayContinue(limits) || !(await outcomes.acquireSlot())) return;
    outcomes.add(mail, update);
  }
}

/**
 * Releases claimed rows whose emails all wait: of broadcasts that are paused, whose workspace is, or of a workspace that has stopped
 * itself. As whole rows, because a row for each email would write every waiting email again. Returns the claim without them.
 */
async function releaseWaiting(ctx: MailCtx, lease: Lease, claim: Claim): Promise<Claim> {
  const now = ctx.now();
  const dueAtOf = new Map<string, number>();
  const stopped = new Map<string, number>();
  for (const [id, mails] of Map.groupBy(claim.mails, ({ outboxId }) => outboxId)) {
    const [first] = mails;
    if (!first || first.broadcast?.isCancelled) continue;
    const dueAt = first.kind === "bulk" ? bulkDueAt(first, now) : null;
    if (dueAt !== null) dueAtOf.set(id, dueAt);
    else if (first.kind !== "bulk" && mails.every(isStopped)) stopped.set(id, first.state.workspace);
  }
  if (dueAtOf.size + stopped.size === 0) return claim;
  for (const [dueAt, rows] of Map.groupBy(dueAtOf, ([, at]) => at)) {
    const ids = rows.map(([id]) => id);
    await releaseStatement(ctx, lease, ids, dueAt).run();
  }
  for (const [workspace, rows] of Map.groupBy(stopped, ([, number]) => number)) {
    const ids = rows.map(([id]) => id);
    await waitStoppedStatement(ctx, lease, { ids, workspace, soon: now + PAUSE_WAIT_MS }).run();
  }
  const isReleased = (id: string) => dueAtOf.has(id) || stopped.has(id);
  return {
    ...claim,
    emailsOf: new Map([...claim.emailsOf].filter(([id]) => !isReleased(id))),
    mails: claim.mails.filter(({ outboxId }) => !isReleased(outboxId)),
  };
}

/** Returns when the row of a broadcast is due again; null when its emails may leave. Runs skip the rows of paused ones. */
function bulkDueAt(mail: ClaimedMail, now: number): number | null {
  const { broadcast, sender } = mail;
  if ((sender.paused && !sender.restricted) || isStopped(mail)) return now + PAUSE_WAIT_MS;
  return broadcast?.isPaused ? now : null;
}

const isStopped = ({ sender, source }: ClaimedMail) => !sender.restricted && isPausedSource(sender.bulkPause, source);
