import type { MainStatement, OutboxCtx, WakeUp } from "../../platform/context.ts";
import { claimRows } from "../../platform/outbox/claim-rows.ts";
import { finishStatement, type Lease, newLease } from "../../platform/outbox/lease.ts";
import { CLAIM_ROWS } from "../../platform/outbox/rules.ts";
import type { SendSystemEmail } from "../../platform/system-email.ts";
import type { NoticeRef } from "../notifications/index.ts";
import { postToSlack } from "./post-to-slack.ts";
import { RUN_MS, retryDelay, type SendOutcome } from "./rules.ts";
import { sendEmails } from "./send-emails.ts";

/**
 * Sends the notifications of these outbox rows, each by one channel that leaves the service. One that fails is tried again
 * after the delays of `retryDelay` and keeps no other from being sent. The sweep finds a row whose run was interrupted: an
 * email is not repeated then, a post to Slack may be.
 */
export async function sendNotifications(
  ctx: OutboxCtx<"main">,
  wakeUps: readonly WakeUp[],
  sendEmail: SendSystemEmail,
): Promise<void> {
  const until = ctx.now() + RUN_MS;
  for (const wakeUp of wakeUps.slice(0, CLAIM_ROWS)) {
    if (ctx.now() >= until) return;
    await sendOne(ctx, wakeUp, sendEmail);
  }
}

async function sendOne(ctx: OutboxCtx<"main">, wakeUp: WakeUp, sendEmail: SendSystemEmail): Promise<void> {
  const lease = newLease(ctx);
  const [row] = await claimRows(ctx, [wakeUp], lease);
  if (!row) return;
  const notice = JSON.parse(row.ref) as NoticeRef;
  const outcome = await send(ctx, notice, sendEmail);
  const delay = outcome === "later" ? retryDelay(row.claims) : null;
  if (outcome === "refused" || (outcome === "later" && delay === null))
    ctx.log("notification.given-up", { channel: notice.channel, notice: notice.event, attempts: row.claims });
  const end = delay === null ? finishStatement(ctx, lease, [row.id]) : retryStatement(ctx, lease, row.id, delay);
  await end.run();
}

async function send(ctx: OutboxCtx<"main">, notice: NoticeRef, sendEmail: SendSystemEmail): Promise<SendOutcome> {
  try {
    return await (notice.channel === "slack" ? postToSlack(ctx, notice) : sendEmails(ctx, notice, sendEmail));
  } catch (error) {
    ctx.log("notification.failed", { channel: notice.channel, notice: notice.event, error: String(error) });
    return "later";
  }
}

/** Makes a row due after `delay` ms. Its claims stay: they count the attempts. */
function retryStatement(ctx: OutboxCtx<"main">, lease: Lease, id: string, delay: number): MainStatement {
  return ctx.outbox
    .prepare("UPDATE outbox SET due_at = ?1, token = NULL WHERE due_at = ?2 AND id = ?3 AND token = ?4")
    .bind(ctx.now() + delay, lease.until, id, lease.token);
}
