import type { CallerCtx } from "../../../access/caller.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { button, change, page, pagesOf } from "../../../http/page-actions.tsx";
import { parseFields } from "../../../http/page-routes.ts";
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

export const notificationPages = pagesOf(
  "notification",
  page("/app/notifications", "GET /v1/notifications", async (c) => {
    const caller = c.get("caller");
    const category = categories.find((name) => name === c.req.query("category"));
    const unreadOnly = c.req.query("unread") === "true";
    const offset = Math.min(Math.max(Math.trunc(Number(c.req.query("offset") ?? 0)) || 0, 0), MAX_OFFSET);
    const found = await listNotifications(caller, { unread: unreadOnly, category, limit: PAGE_SIZE, offset });
    const following = { category: category ?? "", unread: unreadOnly, offset: offset + PAGE_SIZE };
    const shown = (
      <NotificationsPage
        notifications={found.rows.map(toNotification)}
        category={category ?? ""}
        unreadOnly={unreadOnly}
        unread={found.unread}
        counts={found.categoryCounts}
      />
    );
    return respondPage(c, shown, { next: following.offset >= found.total ? null : notificationsPath(following) });
  }),
  button("/app/notifications/read-all", "POST /v1/notifications/read-all", {
    run: markAllRead,
    done: { read: "All notifications are read." },
  }),
  page(PREFERENCES, "GET /v1/notifications/preferences", showPreferences),
  change(PREFERENCES, "PUT /v1/notifications/preferences", {
    read: readPreferences,
    run: updatePreferences,
    done: { saved: "The preferences are saved." },
  }),
  change("/app/notifications/slack", UPDATE_WORKSPACE, {
    read: (fields) => fields.get("slack_webhook_url")?.trim() ?? "",
    run: setSlackUrl,
    show: showPreferences,
    to: PREFERENCES,
    done: { slack: "Notifications are posted to this Slack channel from now on." },
  }),
  button("/app/notifications/slack/remove", UPDATE_WORKSPACE, {
    run: (caller) => setSlackUrl(caller, null),
    to: PREFERENCES,
    done: { "no-slack": "Nothing is posted to Slack any more." },
  }),
  button("/app/notifications/:notification_id/read", "POST /v1/notifications/:notification_id/read", { run: markRead }),
);

function readPreferences(form: URLSearchParams) {
  const flags = categories.map((category) => [
    category,
    Object.fromEntries(channels.map((channel) => [channel, form.has(flagName(category, channel))])),
  ]);
  return toPreferences(JSON.stringify(Object.fromEntries(flags)));
}

function setSlackUrl(caller: CallerCtx, url: string | null) {
  const patch = parseFields(WorkspacePatch, { settings: { slack_webhook_url: url } });
  return updateWorkspace(caller, caller.workspace.id, patch);
}

async function showPreferences(c: AppContext) {
  const caller = c.get("caller");
  const manages = caller.actor.scopes.has("team:manage");
  const [preferences, workspace] = await Promise.all([getPreferences(caller), manages ? getWorkspace(caller) : null]);
  const hasSlack = (workspace?.slackWebhookUrl ?? null) !== null;
  return respondPage(c, <PreferencesPage preferences={preferences} hasSlack={hasSlack} />);
}
