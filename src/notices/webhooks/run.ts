import type { MailCtx } from "../../platform/context.ts";
import { wakeWebhooks } from "../../platform/webhook-events/index.ts";
import { attemptDelivery } from "./attempt.ts";
import { type ClaimedEndpoint, claimEndpoints, type DueDelivery, type Lease, releaseEndpoint } from "./claim.ts";
import { abandonDeliveries, holdDeliveries } from "./hold.ts";
import { OutcomeLog } from "./outcomes.ts";
import { reportFailures } from "./report-failures.ts";
import { IN_FLIGHT, RUN_CLAIMS, RUN_MS, START_MARGIN_MS } from "./rules.ts";
import { Slots } from "./slots.ts";
import { findTargets, type Target } from "./targets.ts";

/**
 * Sends the due deliveries of a mail database, at most IN_FLIGHT at once, until none is due or the run has made enough
 * claims; a queue message then starts the next run. An outcome that is not written is sent again with the same id.
 */
export async function runWebhooks(ctx: MailCtx): Promise<void> {
  const end = ctx.now() + RUN_MS;
  for (let claims = 0; claims < RUN_CLAIMS && ctx.now() < end; claims++) {
    const { lease, endpoints } = await claimEndpoints(ctx);
    if (endpoints.length === 0) return;
    const targets = await findTargets(
      ctx,
      endpoints.map(({ id }) => id),
    );
    const slots = new Slots(IN_FLIGHT);
    const results = await Promise.allSettled(
      endpoints.map((endpoint) => sendTo(ctx, lease, endpoint, targets.get(endpoint.id), slots)),
    );
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }
  await wakeWebhooks(ctx);
}

/** Sends the claimed deliveries of one endpoint, releases it, and sends a delayed message for its next attempt. */
async function sendTo(
  ctx: MailCtx,
  lease: Lease,
  { id, deliveries }: ClaimedEndpoint,
  target: Target | undefined,
  slots: Slots,
): Promise<void> {
  const log = new OutcomeLog(ctx, lease, id);
  if (target) await sendDeliveries(ctx, lease, deliveries, target, log, slots);
  await log.end();
  if (!target) await abandonDeliveries(ctx, id);
  else if (!target.isActive) await holdDeliveries(ctx, id);
  const released = await releaseEndpoint(ctx, lease, id);
  if (released === null) return;
  await reportFailures(ctx, id, released);
  const seconds = released.dueAt === null ? 0 : Math.ceil((released.dueAt - ctx.now()) / 1000);
  if (seconds > 0) await wakeWebhooks(ctx, seconds);
}

/** Sends deliveries: those of one email one after the other, so that they arrive in the order of its events. */
async function sendDeliveries(
  ctx: MailCtx,
  lease: Lease,
  deliveries: readonly DueDelivery[],
  target: Target,
  log: OutcomeLog,
  slots: Slots,
): Promise<void> {
  // After a request without a response the others wait for the next claim, which takes few while the endpoint fails.
  let isWithoutResponse = false;
  const mayStart = () => !isWithoutResponse && lease.until - ctx.now() >= START_MARGIN_MS;
  const sendable = target.isActive ? deliveries : deliveries.filter(({ isForced }) => isForced === 1);
  const chains = Map.groupBy(sendable, ({ email }) => email);
  const sendChain = async (chain: readonly DueDelivery[]) => {
    for (const delivery of chain) {
      const outcome = await slots.use(delivery.endpoint, async () =>
        mayStart() ? attemptDelivery(ctx, delivery, target) : null,
      );
      if (outcome === null) return;
      if (outcome.responseStatus === null) isWithoutResponse = true;
      log.add(outcome);
    }
  };
  await Promise.all([...chains.values()].map(sendChain));
}
