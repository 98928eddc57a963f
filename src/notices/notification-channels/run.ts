import { AppError } from "../../lib/errors.ts";
import { open } from "../../lib/secret-box.ts";
import { onOneLine } from "../../lib/text-rules.ts";
import type { Ctx, OutboxCtx, WakeUp } from "../../platform/context.ts";
import { consumeRows, type RowEnd } from "../../platform/outbox/consume-rows.ts";
import type { SendSystemEmail, SystemEmail } from "../../platform/service-mail/system-email.ts";
import { type NoticeRef, toPreferences } from "../notifications/index.ts";
import { escapeSlack, RUN_MS, retryDelay, type SendOutcome, SLACK_TIMEOUT_MS, slackOutcome } from "./rules.ts";
import { isSlackWebhookUrl, SLACK_PURPOSE } from "./slack-url.ts";

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
  await consumeRows(
    ctx,
    wakeUps,
    async ({ ref, claims }): Promise<RowEnd> => {
      const notice = JSON.parse(ref) as NoticeRef;
      const outcome = await send(ctx, notice, sendEmail);
      // The claims of a row count the attempts.
      const delay = outcome === "later" ? retryDelay(claims) : null;
      if (outcome === "refused" || (outcome === "later" && delay === null))
        ctx.log("notification.given-up", { channel: notice.channel, notice: notice.event, attempts: claims });
      return delay === null ? "done" : { dueAt: ctx.now() + delay, keepsClaims: true };
    },
    () => ctx.now() < until,
  );
}

async function send(ctx: OutboxCtx<"main">, notice: NoticeRef, sendEmail: SendSystemEmail): Promise<SendOutcome> {
  try {
    return await (notice.channel === "slack" ? postToSlack(ctx, notice) : sendEmails(ctx, notice, sendEmail));
  } catch (error) {
    ctx.log("notification.failed", { channel: notice.channel, notice: notice.event, error: String(error) });
    return "later";
  }
}

const FIND_OWNERS = `
  SELECT u.id, u.email, w.name AS workspace_name, p.preferences FROM workspaces w
    JOIN memberships m ON m.workspace = w.number AND m.role = 'owner' JOIN users u ON u.id = m.user_id
    LEFT JOIN notification_preferences p ON p.user_id = u.id
   WHERE w.number = ?1 AND w.deleted_at IS NULL`;

type Owner = { id: string; email: string; workspace_name: string; preferences: string | null };

/**
 * Emails an event to each owner of its workspace who wants it, from the mailbox of the service. A repeated call emails no
 * owner twice. An address that the service may not send to is skipped.
 */
async function sendEmails(ctx: Ctx, notice: NoticeRef, sendEmail: SendSystemEmail): Promise<SendOutcome> {
  const results = await ctx.db.listRows<Owner>(FIND_OWNERS, notice.workspace);
  const owners = results.filter(({ preferences }) => toPreferences(preferences)[notice.category].email);
  for (const owner of owners) {
    try {
      await sendEmail(ctx, toEmail(notice, owner), `notice ${notice.event} ${owner.id}`);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      ctx.log("notification.email.refused", { notice: notice.event, user: owner.id, error: error.message });
    }
  }
  return owners.length > 0 ? "sent" : "unwanted";
}

function toEmail({ title, body }: NoticeRef, { email, workspace_name: workspace }: Owner): SystemEmail {
  const parts = [
    body,
    `This concerns the workspace "${workspace}". Its owners choose by their notification preferences which events are emailed to them.`,
  ];
  return { cause: "notification", to: email, subject: onOneLine(`${title} (${workspace})`), parts };
}

const FIND_URL = `
  SELECT w.id, w.name, w.slack_webhook_url AS sealed, json_group_array(p.preferences) AS preferences
    FROM workspaces w JOIN memberships m ON m.workspace = w.number AND m.role = 'owner'
    LEFT JOIN notification_preferences p ON p.user_id = m.user_id
   WHERE w.number = ?1 AND w.deleted_at IS NULL AND w.slack_webhook_url IS NOT NULL GROUP BY w.number`;

interface Target {
  id: string;
  name: string;
  sealed: string;
  /** JSON array of the preferences of the owners. */
  preferences: string;
}

const MARKS = {
  info: ":information_source:",
  success: ":white_check_mark:",
  warning: ":warning:",
  error: ":x:",
} as const;

/**
 * Posts an event to the Slack channel of its workspace, once however many owners want it. Returns what became of it;
 * `unwanted` when the workspace has no URL any more or no owner wants the category. A response of Slack is never an error.
 */
async function postToSlack(ctx: Ctx, notice: NoticeRef): Promise<SendOutcome> {
  const target = await ctx.db.findRow<Target>(FIND_URL, notice.workspace);
  const preferences = JSON.parse(target?.preferences ?? "[]") as (string | null)[];
  if (!target || !preferences.some((stored) => toPreferences(stored)[notice.category].slack)) return "unwanted";
  const { masterKeys, slackUrl } = ctx.settings;
  const url = new TextDecoder().decode(await open(masterKeys, SLACK_PURPOSE, target.id, target.sealed));
  // The host is one of Slack's, so the URL needs no check of the addresses that its name has.
  if (!isSlackWebhookUrl(url)) return "refused";
  const text = `${MARKS[notice.severity]} *${escapeSlack(notice.title)}* (${escapeSlack(target.name)})\n${escapeSlack(notice.body)}`;
  return post(ctx, slackUrl === "" ? url : `${slackUrl}${new URL(url).pathname}`, text);
}

async function post(ctx: Ctx, url: string, text: string): Promise<SendOutcome> {
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text }),
      signal: AbortSignal.timeout(SLACK_TIMEOUT_MS),
    });
    await response.body?.cancel();
    const outcome = slackOutcome(response.status);
    if (outcome !== "sent") ctx.log("slack.answer", { status: response.status });
    return outcome;
  } catch (error) {
    // The message of an error may contain the URL, which is a secret.
    ctx.log("slack.unreachable", { error: error instanceof Error ? error.name : "unknown" });
    return "later";
  }
}
