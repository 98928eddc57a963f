import type { MailCtx } from "../context.ts";
import { countStatements } from "../db/count-statements.ts";
import { ContentRanges } from "../emails/index.ts";
import type { WakeUp } from "../outbox/index.ts";
import { CLAIM_EMAILS, CLAIM_ROWS, newLease } from "../outbox/index.ts";
import { type Claim, type ClaimedMail, claimMail } from "./claim.ts";
import { ContentPacks } from "./content-packs.ts";
import { type DeliveryRun, deferRemaining, dispatch, mayContinue } from "./dispatch.ts";
import type { Egress, EgressFault } from "./egress.ts";
import { holdBulk } from "./hold-bulk.ts";
import { OctetBudget } from "./octet-budget.ts";
import { type DeliveryUpdate, OutcomeWriter } from "./outcome-writer.ts";
import { preflight } from "./preflight.ts";
import { CONTENT_OCTETS_IN_FLIGHT, newRunLimits, RUN_MS, type RunLimits } from "./rules.ts";

/**
 * Delivers the emails of these outbox rows, except rows that another run has claimed, and due rows that fit into the
 * same claims. Safe to call with the same rows any number of times, concurrently or after a crash, because the claim is
 * a compare-and-set. A run that reaches one of its limits sends queue messages for the rows it has not processed. Lowers
 * `limits`, which runs of one invocation share, by what it does. Throws when outcomes could not be written; the leases
 * then expire.
 */
export async function deliver(
  ctx: MailCtx,
  wakeUps: readonly WakeUp[],
  egress: Egress | EgressFault,
  limits: RunLimits = newRunLimits(),
): Promise<void> {
  const started = ctx.now();
  const counted: MailCtx = {
    ...ctx,
    db: countStatements(ctx.db, limits),
    outbox: countStatements(ctx.outbox, limits),
  };
  const released: WakeUp[] = [];
  let pending = wakeUps;
  while (pending.length > 0 && ctx.now() - started < RUN_MS && limits.emails > 0 && mayContinue(limits)) {
    const chunk = pending.slice(0, CLAIM_ROWS);
    const claimed = await deliverChunk(counted, chunk, egress, limits);
    released.push(...claimed.released);
    pending = [...skippedRows(chunk, claimed.emailsOf), ...pending.slice(CLAIM_ROWS)];
  }
  const rest = [...pending, ...released];
  if (rest.length > 0) await ctx.wake(rest);
}

/** Returns the rows that a claim skipped for its size. A claim that is far from CLAIM_EMAILS has skipped none. */
function skippedRows(chunk: readonly WakeUp[], emailsOf: ReadonlyMap<string, number>): WakeUp[] {
  const emails = chunk.reduce((sum, { id }) => sum + (emailsOf.get(id) ?? 0), 0);
  return emails > CLAIM_EMAILS / 2 ? chunk.filter(({ id }) => !emailsOf.has(id)) : [];
}

/** Result of one claim: the number of emails by id of each claimed row, and the rows released because of a limit. */
interface ClaimResult {
  emailsOf: ReadonlyMap<string, number>;
  released: WakeUp[];
}

async function deliverChunk(
  ctx: MailCtx,
  wakeUps: readonly WakeUp[],
  configured: Egress | EgressFault,
  limits: RunLimits,
): Promise<ClaimResult> {
  const lease = newLease(ctx);
  const taken = await claimMail(ctx, wakeUps, lease);
  const emailsOf = new Map(taken.rows.map(({ id, ref }) => [id, (JSON.parse(ref) as number[]).length]));
  if (taken.rows.length === 0) return { emailsOf, released: [] };
  for (const emails of emailsOf.values()) limits.emails -= emails;
  const claim = await holdBulk(ctx, lease, taken);
  if (claim.rows.length === 0) return { emailsOf, released: [] };
  const [egress, fault] = "fault" in configured ? [null, configured] : [configured, null];
  if (fault) ctx.log("egress.unavailable", { fault: fault.fault, detail: fault.detail });
  const packs = new ContentPacks(ctx, claim.mails);
  const run: DeliveryRun = {
    ctx,
    outcomes: new OutcomeWriter(ctx, lease, claim, packs),
    egress,
    queue: [],
    keys: Map.groupBy(claim.keys, (key) => key.domain_id),
    limits,
    contents: new ContentRanges(ctx),
    content: new OctetBudget(CONTENT_OCTETS_IN_FLIGHT),
    unreachable: null,
  };
  const updates = queueMail(run, claim, emailsOf, fault);
  run.contents.plan(run.queue.map(({ mail }) => mail));
  const dispatchers = Math.min(egress?.connections ?? 1, run.queue.length);
  const results = await Promise.allSettled([
    recordDecisions(run, updates),
    ...Array.from({ length: dispatchers }, () => dispatch(run)),
  ]);
  await deferRemaining(run);
  const released = await run.outcomes.close().finally(() => packs.finish());
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return { emailsOf, released };
}

interface DecidedMail {
  mail: ClaimedMail;
  update: DeliveryUpdate;
}

/** Queues the emails to send, those of small rows first: a lone email never waits behind a batch. Returns the others. */
function queueMail(
  run: DeliveryRun,
  claim: Claim,
  emailsOf: ReadonlyMap<string, number>,
  fault: EgressFault | null,
): DecidedMail[] {
  const updates: DecidedMail[] = [];
  for (const { mail, decision } of preflight(run.ctx, claim, fault)) {
    if ("send" in decision) run.queue.push(decision.send);
    else updates.push({ mail, update: decision.update });
  }
  const sizeOf = (outboxId: string) => emailsOf.get(outboxId) ?? 0;
  run.queue.sort((a, b) => sizeOf(a.mail.outboxId) - sizeOf(b.mail.outboxId));
  return updates;
}

/** Records the outcomes that preflight decided, until a limit of the run is reached. */
async function recordDecisions(run: DeliveryRun, updates: readonly DecidedMail[]): Promise<void> {
  for (const { mail, update } of updates) {
    if (!mayContinue(run.limits) || !(await run.outcomes.acquireSlot())) return;
    run.outcomes.add(mail, update);
  }
}
