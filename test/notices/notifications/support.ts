import { env } from "cloudflare:workers";
import { sendNotifications } from "../../../src/notices/notification-channels/index.ts";
import { type Notice, notifyOwnersStatements } from "../../../src/notices/notifications/index.ts";
import type { WakeUp } from "../../../src/platform/context.ts";
import { onMain } from "../../../src/platform/jobs/shards.ts";
import { sendSystemEmail } from "../../../src/sending/system-emails/index.ts";
import { database } from "../../support/databases.ts";
import { type TestWorkspace, testContext } from "../../support/workspace.ts";

interface NotificationItem {
  id: string;
  category: string;
  severity: string;
  title: string;
  body: string;
  href: string | null;
  read_at: string | null;
  created_at: string;
}

export interface NotificationPage {
  items: NotificationItem[];
  total: number;
  unread: number;
  limit: number;
  offset: number;
  category_counts: Record<string, number>;
}

/** The origin of the stand-in for Slack. */
const slackOrigin = `http://127.0.0.1:${env.TEST_SERVERS.slack}`;

/** Notifies the owners of a workspace, as an operation does in its batch. */
export async function notify(workspace: TestWorkspace, notice: Partial<Notice> = {}, now = Date.now()): Promise<void> {
  const ctx = testContext({}, () => now);
  const all: Notice = {
    category: "alerts",
    severity: "warning",
    title: "A title",
    body: "A body.",
    href: null,
    ...notice,
  };
  await ctx.db.batch(notifyOwnersStatements(ctx, workspace.workspaceNumber, all));
}

/** Returns a page of the list. */
export async function listed(api: Pick<TestWorkspace, "get">, query = ""): Promise<NotificationPage> {
  const response = await api.get(`/v1/notifications${query}`);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

/**
 * Runs the outbox rows of notifications of a workspace that are due at `now`, with a mailbox of the service and the stand-in
 * for Slack. Returns how many were due.
 */
export async function sendDue(workspace: TestWorkspace, system: TestWorkspace, now = Date.now()): Promise<number> {
  const settings = { SYSTEM_MAILBOX: system.mailbox, SLACK_URL: slackOrigin };
  const rows = (await waiting(workspace)).filter(({ dueAt }) => dueAt <= now);
  await sendNotifications(onMain(testContext(settings, () => now)), rows, sendSystemEmail);
  return rows.length;
}

/** Returns the outbox rows of notifications of a workspace. */
export async function waiting({ workspaceNumber }: TestWorkspace): Promise<WakeUp[]> {
  const { results } = await env.DB.prepare(
    "SELECT due_at AS dueAt, id, kind FROM outbox WHERE kind = 'notify' AND ref->>'workspace' = ?1 ORDER BY due_at",
  )
    .bind(workspaceNumber)
    .all<WakeUp>();
  return results;
}

/** Sets the Slack webhook of a workspace. Returns a function that returns the texts that were posted to it. */
export async function aSlackWebhook(workspace: TestWorkspace, result: number | "hang" = 200) {
  const path = `/services/${result}/${crypto.randomUUID()}`;
  const settings = { slack_webhook_url: `https://hooks.slack.com${path}` };
  const response = await workspace.call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, { settings });
  if (response.status !== 200) throw new Error(await response.text());
  const id = path.split("/").at(-1) ?? "";
  const postsTo = async (to: string) => (await fetch(`${slackOrigin}${to}`)).json<{ type: string; body: string }[]>();
  return { posts: () => postsTo(path), canary: () => postsTo(`/canary/${id}`) };
}

/** Makes a member an owner too. */
export async function makeOwner(workspace: TestWorkspace, userId: string): Promise<void> {
  await database.run("UPDATE memberships SET role = 'owner' WHERE workspace = ?1 AND user_id = ?2", [
    workspace.workspaceNumber,
    userId,
  ]);
}
