import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor, parseFields, readForm, submitForm } from "../../../http/page-routes.ts";
import { getWorkspace, updateWorkspace, WorkspacePatch } from "../../../identity/workspaces/index.ts";
import {
  categories,
  channels,
  getPreferences,
  listNotifications,
  markAllRead,
  markRead,
  toNotification,
  toPreferences,
  updatePreferences,
} from "../../../notices/notifications/index.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { NotificationsPage, notificationsPath } from "./list.tsx";
import { flagName, PreferencesPage } from "./preferences.tsx";

/** Greatest offset of a page: more notifications than one user gets in 90 days. */
const MAX_OFFSET = 100_000;
const PREFERENCES = "/app/notifications/preferences";
const UPDATE_WORKSPACE = "PATCH /v1/workspaces/:workspace_id";

const notices: Readonly<Record<string, string>> = {
  read: "All notifications are read.",
  saved: "The preferences are saved.",
  slack: "Notifications are posted to this Slack channel from now on.",
  "no-slack": "Nothing is posted to Slack any more.",
};

export const notificationPages = newRoutes()
  .get("/app/notifications", ...pageFor("GET /v1/notifications"), showList)
  .post("/app/notifications/read-all", ...pageFor("POST /v1/notifications/read-all"), async (c) => {
    await markAllRead(c.get("caller"));
    return c.redirect("/app/notifications?done=read", 303);
  })
  .get(PREFERENCES, ...pageFor("GET /v1/notifications/preferences"), showPreferences)
  .post(PREFERENCES, ...pageFor("PUT /v1/notifications/preferences"), async (c) => {
    const form = await readForm(c);
    const flags = categories.map((category) => [
      category,
      Object.fromEntries(channels.map((channel) => [channel, form.has(flagName(category, channel))])),
    ]);
    await updatePreferences(c.get("caller"), toPreferences(JSON.stringify(Object.fromEntries(flags))));
    return c.redirect(`${PREFERENCES}?done=saved`, 303);
  })
  .post("/app/notifications/slack", ...pageFor(UPDATE_WORKSPACE), (c) =>
    submitForm(c, showPreferences, async (fields) => {
      const url = fields.get("slack_webhook_url")?.trim() ?? "";
      await setSlackUrl(c, url);
      return `${PREFERENCES}?done=slack`;
    }),
  )
  .post("/app/notifications/slack/remove", ...pageFor(UPDATE_WORKSPACE), async (c) => {
    await setSlackUrl(c, null);
    return c.redirect(`${PREFERENCES}?done=no-slack`, 303);
  })
  .post(
    "/app/notifications/:notification_id/read",
    ...pageFor("POST /v1/notifications/:notification_id/read"),
    async (c) => {
      await markRead(c.get("caller"), c.req.param("notification_id"));
      return c.redirect("/app/notifications", 303);
    },
  );

async function setSlackUrl(c: AppContext, url: string | null) {
  const caller = c.get("caller");
  const patch = parseFields(WorkspacePatch, { settings: { slack_webhook_url: url } });
  await updateWorkspace(caller, caller.workspace.id, patch);
}

async function showList(c: AppContext) {
  const caller = c.get("caller");
  const category = categories.find((name) => name === c.req.query("category"));
  const unreadOnly = c.req.query("unread") === "true";
  const offset = Math.min(Math.max(Math.trunc(Number(c.req.query("offset") ?? 0)) || 0, 0), MAX_OFFSET);
  const found = await listNotifications(caller, { unread: unreadOnly, category, limit: PAGE_SIZE, offset });
  const following = { category: category ?? "", unread: unreadOnly, offset: offset + PAGE_SIZE };
  const page = (
    <NotificationsPage
      notifications={found.rows.map(toNotification)}
      category={category ?? ""}
      unreadOnly={unreadOnly}
      unread={found.unread}
      counts={found.categoryCounts}
    />
  );
  return respondPage(c, page, { notices, next: following.offset >= found.total ? null : notificationsPath(following) });
}

async function showPreferences(c: AppContext) {
  const caller = c.get("caller");
  const manages = caller.actor.scopes.has("team:manage");
  const [preferences, workspace] = await Promise.all([getPreferences(caller), manages ? getWorkspace(caller) : null]);
  const hasSlack = (workspace?.slackWebhookUrl ?? null) !== null;
  return respondPage(c, <PreferencesPage preferences={preferences} hasSlack={hasSlack} />, { notices });
}
