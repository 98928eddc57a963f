import type { MailCtx } from "../../platform/context.ts";
import { type LoggedEmail, logEmails } from "../../platform/log-lines/log-emails.ts";
import { wakeWebhooks } from "../../platform/webhook-events/wake.ts";
import { attemptDelivery, type Outcome } from "./attempt.ts";
import { type ClaimedEndpoint, type DueDelivery, type Lease, releaseEndpoint, type Target } from "./claim.ts";
import { OutcomeLog } from "./outcomes.ts";
import { abandonDeliveries, pauseDeliveries } from "./pause-deliveries.ts";
import { reportFailures } from "./report-failures.ts";
import { START_MARGIN_MS } from "./rules.ts";
import type { Slots } from "./slots.ts";

/** The endpoints of one claim while a run sends their deliveries. */
export interface Turn {
  lease: Lease;
  slots: Slots;
  /** No attempt starts after this time, in milliseconds since 1970. */
  startUntil: number;
  /** True once the run makes no further claim and continues in the background. */
  isInBackground: boolean;
  /** True when an endpoint was released before that and is still due. */
  hasDue: boolean;
}

/** Sends the claimed deliveries of one endpoint and releases it. One that is due again gets the next claim, or a queue message in time. */
export async function sendToEndpoint(
  ctx: MailCtx,
  turn: Turn,
  { id, deliveries }: ClaimedEndpoint,
  target: Target | undefined,
): Promise<void> {
  const log = new OutcomeLog(ctx, turn.lease, id);
  const attempted: LoggedEmail[] = [];
  const take = (delivery: DueDelivery, outcome: Outcome) => {
    log.add(outcome);
    attempted.push(toLogged(delivery, outcome));
  };
  if (target) await sendDeliveries(ctx, turn, deliveries, target, take);
  logEmails(ctx, "webhooks.attempted", attempted, { endpoint: id });
  await log.end();
  if (!target) await abandonDeliveries(ctx, id);
  else if (!target.isActive) await pauseDeliveries(ctx, id);
  const released = await releaseEndpoint(ctx, turn.lease, id);
  if (released === null) return;
  await reportFailures(ctx, id, released);
  if (released.dueAt === null) return;
  const seconds = Math.ceil((released.dueAt - ctx.now()) / 1000);
  if (seconds > 0 || turn.isInBackground) await wakeWebhooks(ctx, Math.max(seconds, 0));
  else turn.hasDue = true;
}

const toLogged = (delivery: DueDelivery, { attempt, status, responseStatus }: Outcome): LoggedEmail => ({
  id: delivery.email,
  request_id: delivery.requestId,
  delivery: delivery.id,
  event: delivery.eventType,
  attempt,
  status,
  response_status: responseStatus,
});

/** Sends deliveries: those of one email one after the other, so that they arrive in the order of its events. */
async function sendDeliveries(
  ctx: MailCtx,
  turn: Turn,
  deliveries: readonly DueDelivery[],
  target: Target,
  take: (delivery: DueDelivery, outcome: Outcome) => void,
): Promise<void> {
  // After a request without a response the others wait for the next claim, which takes few while the endpoint fails.
  let isWithoutResponse = false;
  const mayStart = () =>
    !isWithoutResponse && ctx.now() <= turn.startUntil && turn.lease.until - ctx.now() >= START_MARGIN_MS;
  const sendable = target.isActive ? deliveries : deliveries.filter(({ isForced }) => isForced === 1);
  const chains = Map.groupBy(sendable, ({ email }) => email);
  const sendChain = async (chain: readonly DueDelivery[]) => {
    for (const delivery of chain) {
      const outcome = await turn.slots.use(delivery.endpoint, async () =>
        mayStart() ? attemptDelivery(ctx, delivery, target) : null,
      );
      if (outcome === null) return;
      if (outcome.responseStatus === null) isWithoutResponse = true;
      take(delivery, outcome);
    }
  };
  await Promise.all([...chains.values()].map(sendChain));
}
