import { iso } from "../../../lib/time.ts";
import { addDeliveriesStatements } from "../../../notices/webhooks/index.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { wakeWebhooks } from "../../../platform/webhook-events/wake.ts";
import { done, idOfEffect, nothingPrepared, type Outcome, type PendingOf, type Prepared } from "./outcome.ts";

type WebhookEffect = PendingOf<"webhook">;

/** The event that a delivery of a step has. */
const STEP_EVENT = "automation.step";

const FIND = `
  SELECT w.id, w.is_active FROM json_each(?1) j CROSS JOIN webhooks w ON w.id = j.value->>'webhook' AND w.workspace = j.value->>'workspace'`;

/** Prepares deliveries to webhooks, which are signed and retried as those of emails. One D1 call. */
export async function prepareWebhooks(ctx: MailCtx, pending: readonly WebhookEffect[]): Promise<Prepared> {
  if (pending.length === 0) return nothingPrepared();
  const named = pending.map(({ due, effect }) => ({ workspace: due.workspace, webhook: effect.step.webhook_id }));
  const results = await ctx.db.listRows<{ id: string; is_active: 0 | 1 }>(FIND, JSON.stringify(named));
  const known = new Set(results.map(({ id }) => id));
  const outcomes = pending.map(({ due, effect }): [number, Outcome] => [
    due.n,
    done(known.has(effect.step.webhook_id) ? "Called the webhook." : "The webhook does not exist any more."),
  ]);
  const calling = pending.filter(({ effect }) => known.has(effect.step.webhook_id));
  if (calling.length === 0) return { ...nothingPrepared(), outcomes: new Map(outcomes) };
  const deliveries = await Promise.all(calling.map((one) => toDelivery(ctx, one)));
  const statements = addDeliveriesStatements(ctx, deliveries);
  return { statements, outcomes: new Map(outcomes), wake: [() => wakeWebhooks(ctx)] };
}

async function toDelivery(ctx: MailCtx, one: WebhookEffect) {
  const { due, effect, person } = one;
  const [contact] = person.contacts;
  const payload = {
    event: STEP_EVENT,
    automation_id: due.automationId,
    run_id: due.run.id,
    step: effect.path,
    recipient: contact?.email ?? due.key,
    timestamp: iso(ctx.now()),
    data: effect.data,
  };
  return {
    id: await idOfEffect(one),
    workspace: due.workspace,
    webhook: effect.step.webhook_id,
    subject: due.run.id,
    eventType: STEP_EVENT,
    payload: JSON.stringify(payload),
  };
}
