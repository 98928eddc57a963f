import type { Ctx, WakeUp } from "../context.ts";
import { CLAIM_ROWS, newLease } from "../outbox/index.ts";
import { claimMail } from "./claim.ts";
import type { Egress } from "./egress.ts";
import { judgeMails } from "./judge.ts";
import { putOffRest, type Run, runLane } from "./lane.ts";
import { Ledger } from "./ledger.ts";
import { RUN_MS } from "./rules.ts";

/**
 * Delivers the mail behind these outbox rows, as far as they are still to be had. Safe to call with the same
 * rows any number of times, at once or after a crash: the claim decides who works, the rows say what is left.
 * Throws when outcomes could not be written; the leases then end by themselves.
 */
export async function deliver(ctx: Ctx, wakeUps: readonly WakeUp[], egress: Egress | null): Promise<void> {
  const started = ctx.now();
  for (let at = 0; at < wakeUps.length && ctx.now() - started < RUN_MS; at += CLAIM_ROWS) {
    await deliverSome(ctx, wakeUps.slice(at, at + CLAIM_ROWS), egress);
  }
}

async function deliverSome(ctx: Ctx, wakeUps: readonly WakeUp[], egress: Egress | null): Promise<void> {
  const lease = newLease(ctx);
  const claim = await claimMail(ctx, wakeUps, lease);
  if (claim.rows.length === 0) return;
  const ledger = new Ledger(ctx, lease, claim);
  const run: Run = {
    ctx,
    ledger,
    egress,
    queue: [],
    keys: Map.groupBy(claim.keys, (key) => key.domain_id),
    unreachable: null,
  };
  for (const { mail, decision } of judgeMails(ctx, claim)) {
    if ("send" in decision) run.queue.push(decision.send);
    else ledger.add(mail, decision.report, false);
  }
  const lanes = Math.min(egress?.connections ?? 1, run.queue.length);
  const ends = await Promise.allSettled(Array.from({ length: lanes }, () => runLane(run)));
  await putOffRest(run);
  await ledger.close();
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
