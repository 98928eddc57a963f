import { eq } from "drizzle-orm";
import { onError } from "../../lib/errors.ts";
import { DAY_MS } from "../../lib/time.ts";
import type { MailCtx } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { orm } from "../../platform/db/client.ts";
import { webhooks } from "../../platform/db/schema/main/index.ts";
import { dailyKey, type Notice, notifyOwners, notifyOwnersStatements } from "../notifications/index.ts";
import type { Released } from "./claim.ts";
import type { WebhookRow } from "./queries.ts";
import { mustPause, PAUSE_AFTER_MS } from "./rules.ts";
import { copySubscription } from "./subscriptions.ts";

const CLEAR = `
  UPDATE webhook_endpoints SET gave_up_at = NULL, due_at = CASE WHEN token IS NULL THEN (
      SELECT min(due_at) FROM webhook_deliveries d WHERE d.endpoint = webhook_endpoints.id AND d.due_at IS NOT NULL) ELSE due_at END
   WHERE id = ?1 AND gave_up_at = ?2`;

const PAUSE =
  "UPDATE webhooks SET is_active = 0, version = version + 1 WHERE id = ?1 AND version = ?2 AND is_active = 1";

/** Tells the owners that deliveries failed for good, and pauses a webhook that has failed for five days. A crash leaves it due. */
export async function reportFailures(ctx: MailCtx, id: string, released: Released): Promise<void> {
  const isLong = mustPause(released.failingSince, ctx.now());
  if (released.gaveUpAt === null && !isLong) return;
  const [webhook] = await orm(ctx).select().from(webhooks).where(eq(webhooks.id, id));
  if (webhook?.isActive) await (isLong ? pause(ctx, webhook) : notify(ctx, webhook));
  if (released.gaveUpAt !== null) await ctx.mail.execute(CLEAR, id, released.gaveUpAt);
}

async function pause(ctx: MailCtx, webhook: WebhookRow): Promise<void> {
  const { id, workspace, version } = webhook;
  const copy = copySubscription(ctx, { id, workspace, version: version + 1, events: [] });
  const text = `It failed for ${PAUSE_AFTER_MS / DAY_MS} days. Resume it when the endpoint works again`;
  const notice = noticeOf(webhook, "A webhook was paused", text);
  const results = await guardedBatch(ctx.db, [
    ctx.db.prepare(PAUSE).bind(id, version),
    expectChanges(ctx.db, 1),
    copy.statement,
    ...notifyOwnersStatements(ctx, workspace, notice),
  ]).catch(onError(ConcurrencyError, () => null));
  // Null: it was changed at the same moment. The next failure pauses it.
  if (results) await copy.run();
}

/** Tells the owners once a day and webhook (docs/contract/webhooks.md#retry-schedule). */
async function notify(ctx: MailCtx, webhook: WebhookRow): Promise<void> {
  const text = "Deliveries were given up after five attempts. See the delivery log";
  const notice = noticeOf(webhook, "Webhook deliveries failed", text);
  await notifyOwners(ctx, webhook.workspace, { ...notice, key: dailyKey(`webhook-failed ${webhook.id}`, ctx.now()) });
}

function noticeOf({ id, url }: WebhookRow, title: string, text: string): Notice {
  const body = `${text}. Endpoint: ${new URL(url).host}`;
  return { category: "alerts", severity: "error", title, body, href: `/webhooks/${id}` };
}
