import type { Ctx } from "../context.ts";
import type { WakeUp } from "../outbox/index.ts";
import { CLAIM_ROWS, newLease } from "../outbox/index.ts";
import { claimMail } from "./claim.ts";
import { type DeliveryRun, deferRest, dispatch } from "./dispatch.ts";
import type { Egress } from "./egress.ts";
import { OutcomeWriter } from "./outcome-writer.ts";
import { preflight } from "./preflight.ts";
import { RUN_MS } from "./rules.ts";

/**
 * Delivers the mail behind these outbox rows, as far as they are still to be had. Safe to call with the same
 * rows any number of times, at once or after a crash: the claim decides who works, the rows say what is left.
 * Throws when outcomes could not be written; the leases then end by themselves.
 */
export async function deliver(ctx: Ctx, wakeUps: readonly WakeUp[], egress: Egress | null): Promise<void> {
  const started = ctx.now();
  for (let at = 0; at < wakeUps.length && ctx.now() - started < RUN_MS; at += CLAIM_ROWS) {
    await deliverChunk(ctx, wakeUps.slice(at, at + CLAIM_ROWS), egress);
  }
}

async function deliverChunk(ctx: Ctx, wakeUps: readonly WakeUp[], egress: Egress | null): Promise<void> {
  const lease = newLease(ctx);
  const claim = await claimMail(ctx, wakeUps, lease);
  if (claim.rows.length === 0) return;
  const outcomes = new OutcomeWriter(ctx, lease, claim);
  const run: DeliveryRun = {
    ctx,
    outcomes: outcomes,
    egress,
    queue: [],
    keys: Map.groupBy(claim.keys, (key) => key.domain_id),
    unreachable: null,
  };
  for (const { mail, decision } of preflight(ctx, claim)) {
    if ("send" in decision) run.queue.push(decision.send);
    else outcomes.add(mail, decision.update, false);
  }
  const dispatchers = Math.min(egress?.connections ?? 1, run.queue.length);
  const ends = await Promise.allSettled(Array.from({ length: dispatchers }, () => dispatch(run)));
  await deferRest(run);
  await outcomes.close();
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
