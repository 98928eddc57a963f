import { open } from "../../lib/secret-box.ts";
import type { Ctx } from "../../platform/context.ts";
import { type NoticeRef, toPreferences } from "../notifications/index.ts";
import { escapeSlack, type SendOutcome, SLACK_TIMEOUT_MS, slackOutcome } from "./rules.ts";
import { isSlackWebhookUrl, SLACK_PURPOSE } from "./slack-url.ts";

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
export async function postToSlack(ctx: Ctx, notice: NoticeRef): Promise<SendOutcome> {
  const target = await ctx.db.prepare(FIND_URL).bind(notice.workspace).first<Target>();
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
