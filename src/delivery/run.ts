import type { MailCtx } from "../context.ts";
import { ContentRanges } from "../emails/index.ts";
import type { WakeUp } from "../outbox/index.ts";
import { CLAIM_EMAILS, CLAIM_ROWS, newLease } from "../outbox/index.ts";
import { claimMail } from "./claim.ts";
import { ContentPacks } from "./content-packs.ts";
import { type DeliveryRun, deferRemaining, dispatch } from "./dispatch.ts";
import type { Egress, EgressFault } from "./egress.ts";
import { OctetBudget } from "./octet-budget.ts";
import { OutcomeWriter } from "./outcome-writer.ts";
import { preflight } from "./preflight.ts";
import { CONTENT_OCTETS_IN_FLIGHT, RUN_LIMITS, RUN_MS, type RunLimits } from "./rules.ts";

/**
 * Delivers the emails of these outbox rows, except rows that another run has claimed. Safe to call with the same rows
 * any number of times, concurrently or after a crash, because the claim is a compare-and-set. A run that reaches one of
 * its limits sends queue messages for the rows it has not claimed. Throws when outcomes could not be written; the leases
 * then expire.
 */
export async function deliver(
  ctx: MailCtx,
  wakeUps: readonly WakeUp[],
  egress: Egress | EgressFault,
  runLimits: Readonly<RunLimits> = RUN_LIMITS,
): Promise<void> {
  const started = ctx.now();
  const limits = { ...runLimits };
  let pending = wakeUps;
  while (pending.length > 0 && ctx.now() - started < RUN_MS && limits.emails > 0 && limits.objectReads > 0) {
    const chunk = pending.slice(0, CLAIM_ROWS);
    const claimed = await deliverChunk(ctx, chunk, egress, limits);
    limits.emails -= claimed.emails;
    // A claim that is far from CLAIM_EMAILS has skipped no row for its size.
    const skipped = claimed.emails > CLAIM_EMAILS / 2 ? chunk.filter(({ id }) => !claimed.ids.has(id)) : [];
    pending = [...skipped, ...pending.slice(CLAIM_ROWS)];
  }
  if (pending.length > 0) await ctx.wake(pending);
}

/** Returns the ids of the claimed rows, and the number of emails that they reference. */
async function deliverChunk(
  ctx: MailCtx,
  wakeUps: readonly WakeUp[],
  configured: Egress | EgressFault,
  limits: RunLimits,
): Promise<{ ids: ReadonlySet<string>; emails: number }> {
  const lease = newLease(ctx);
  const claim = await claimMail(ctx, wakeUps, lease);
  const emails = claim.rows.reduce((sum, { ref }) => sum + (JSON.parse(ref) as number[]).length, 0);
  const claimed = { ids: new Set(claim.rows.map(({ id }) => id)), emails };
  if (claim.rows.length === 0) return claimed;
  const [egress, fault] = "fault" in configured ? [null, configured] : [configured, null];
  if (fault) ctx.log("egress.unavailable", { fault: fault.fault, detail: fault.detail });
  const packs = new ContentPacks(ctx, claim.mails);
  const outcomes = new OutcomeWriter(ctx, lease, claim, packs);
  const run: DeliveryRun = {
    ctx,
    outcomes,
    egress,
    queue: [],
    keys: Map.groupBy(claim.keys, (key) => key.domain_id),
    limits,
    contents: new ContentRanges(ctx),
    content: new OctetBudget(CONTENT_OCTETS_IN_FLIGHT),
    unreachable: null,
  };
  for (const { mail, decision } of preflight(ctx, claim, fault)) {
    if ("send" in decision) run.queue.push(decision.send);
    else outcomes.add(mail, decision.update, false);
  }
  run.contents.plan(run.queue.map(({ mail }) => mail));
  const dispatchers = Math.min(egress?.connections ?? 1, run.queue.length);
  const results = await Promise.allSettled(Array.from({ length: dispatchers }, () => dispatch(run)));
  await deferRemaining(run);
  await outcomes.close().finally(() => packs.finish());
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return claimed;
}
