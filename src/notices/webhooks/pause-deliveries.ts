import type { MailCtx } from "../../platform/context.ts";

/** Deliveries that one statement ends, to keep its transaction at some milliseconds. */
const ROWS_PER_STATEMENT = 500;
/** Wait of a delivery while the copy of its webhook does not say yet that it is paused, in milliseconds. */
const COPY_WAIT_MS = 60_000;

// Without a due time the delivery waits until the webhook is resumed (subscriptions.ts).
const PAUSE = `
  UPDATE webhook_deliveries SET due_at = CASE WHEN (SELECT events FROM webhook_endpoints WHERE id = ?1) = '[]' THEN NULL ELSE ?2 END
   WHERE n IN (SELECT n FROM webhook_deliveries WHERE endpoint = ?1 AND due_at <= ?3 AND is_forced = 0 LIMIT ?4)`;

/** Lets the due deliveries of a paused webhook wait until it is resumed, a number of them at a time. */
export async function pauseDeliveries(ctx: MailCtx, endpoint: string): Promise<void> {
  const now = ctx.now();
  await ctx.mail.execute(PAUSE, endpoint, now + COPY_WAIT_MS, now, ROWS_PER_STATEMENT);
}

const ABANDON = `
  UPDATE webhook_deliveries SET status = 'failed', due_at = NULL, error = 'the webhook was deleted'
   WHERE n IN (SELECT n FROM webhook_deliveries WHERE endpoint = ?1 AND due_at IS NOT NULL LIMIT ?2)`;

/** Ends the open deliveries of a deleted webhook, a number of them at a time. */
export async function abandonDeliveries(ctx: MailCtx, endpoint: string): Promise<void> {
  await ctx.mail.execute(ABANDON, endpoint, ROWS_PER_STATEMENT);
}
