import type { Ctx } from "../context.ts";
import type { WakeUp } from "../outbox/index.ts";
import { CLAIM_ROWS, newLease } from "../outbox/index.ts";
import { claimMail } from "./claim.ts";
import { type DeliveryRun, deferRemaining, dispatch } from "./dispatch.ts";
import type { Egress, EgressFault } from "./egress.ts";
import { OutcomeWriter } from "./outcome-writer.ts";
import { preflight } from "./preflight.ts";
import { RUN_MS } from "./rules.ts";

/**
 * Delivers the emails of these outbox rows, except rows that another run has claimed. Safe to call with the same rows
 * any number of times, concurrently or after a crash, because the claim is a compare-and-set. Throws when outcomes could
 * not be written; the leases then expire.
 */
export async function deliver(ctx: Ctx, wakeUps: readonly WakeUp[], egress: Egress | EgressFault): Promise<void> {
  const started = ctx.now();
  for (let at = 0; at < wakeUps.length && ctx.now() - started < RUN_MS; at += CLAIM_ROWS) {
    await deliverChunk(ctx, wakeUps.slice(at, at + CLAIM_ROWS), egress);
  }
}

async function deliverChunk(ctx: Ctx, wakeUps: readonly WakeUp[], configured: Egress | EgressFault): Promise<void> {
  const lease = newLease(ctx);
  const claim = await claimMail(ctx, wakeUps, lease);
  if (claim.rows.length === 0) return;
  const [egress, fault] = "fault" in configured ? [null, configured] : [configured, null];
  if (fault) ctx.log("egress.unavailable", { fault: fault.fault, detail: fault.detail });
  const outcomes = new OutcomeWriter(ctx, lease, claim);
  const run: DeliveryRun = {
    ctx,
    outcomes,
    egress,
    queue: [],
    keys: Map.groupBy(claim.keys, (key) => key.domain_id),
    unreachable: null,
  };
  for (const { mail, decision } of preflight(ctx, claim, fault)) {
    if ("send" in decision) run.queue.push(decision.send);
    else outcomes.add(mail, decision.update, false);
  }
  const dispatchers = Math.min(egress?.connections ?? 1, run.queue.length);
  const results = await Promise.allSettled(Array.from({ length: dispatchers }, () => dispatch(run)));
  await deferRemaining(run);
  await outcomes.close();
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
