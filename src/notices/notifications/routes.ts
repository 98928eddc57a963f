import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { offsetQuery } from "../../http/pagination.ts";
import { toValidationErrors } from "../../http/validate.ts";
import { badRequest, unprocessable } from "../../lib/errors.ts";
import { markAllRead, markRead } from "./mark-read.ts";
import { getPreferences, updatePreferences } from "./preferences.ts";
import { listNotifications } from "./queries.ts";
import { NOTIFICATION_DAYS } from "./rules.ts";
import {
  NotificationOut,
  NotificationPageOut,
  PreferencesBody,
  PreferencesIn,
  PreferencesOut,
  ReadAllOut,
  toNotification,
  toPage,
} from "./schema.ts";

const ListQuery = z.object({
  unread: z
    .enum(["true", "false"], "unread must be true or false")
    .default("false")
    .transform((value) => value === "true")
    .meta({ type: "boolean", default: false, description: "true: only those that are not read." }),
  category: z.string().max(100).optional().describe("alerts, sends or team. No notification has another category."),
  ...offsetQuery({ default: 50, max: 200 }),
});

export const notificationRoutes = apiRoutes("Notifications")
  .get("/v1/notifications", "listNotifications", "notifications:view", {
    summary: "List your notifications",
    description: `Those of your user in the active workspace, newest first. They are kept ${NOTIFICATION_DAYS} days. Among the alerts: emails of the workspace wait because the service cannot hand them over for ten minutes, and the end of that.`,
    query: ListQuery,
    returns: { 200: ["A page of notifications, and the counts", NotificationPageOut] },
    run: async (caller, { query }) => {
      const { unread, category, limit, offset } = query;
      const page = await listNotifications(caller, { unread, category, limit, offset });
      return toPage(page, { limit, offset });
    },
  })
  .post("/v1/notifications/read-all", "markAllNotificationsRead", "notifications:manage", outlives.nothing, {
    summary: "Mark all your notifications read",
    description: "Those of your user in the active workspace.",
    once: false,
    returns: { 200: ["How many were unread", ReadAllOut] },
    run: async (caller) => ({ updated: await markAllRead(caller) }),
  })
  .post("/v1/notifications/:notification_id/read", "markNotificationRead", "notifications:manage", outlives.nothing, {
    summary: "Mark a notification read",
    description: "A second call changes nothing: `read_at` keeps the time of the first.",
    once: false,
    returns: { 200: ["The notification", NotificationOut] },
    run: async (caller, { notification_id }) => toNotification(await markRead(caller, notification_id)),
  })
  .get("/v1/notifications/preferences", "getNotificationPreferences", "notifications:view", {
    summary: "Get your notification preferences",
    description: "They belong to your user and apply in each of your workspaces.",
    returns: { 200: ["The preferences", PreferencesOut] },
    run: async (caller) => ({ preferences: await getPreferences(caller) }),
  })
  .put("/v1/notifications/preferences", "updateNotificationPreferences", "notifications:manage", outlives.nothing, {
    summary: "Change your notification preferences",
    description: "Returns all preferences as they are stored. 400 when `preferences` is not an object.",
    body: PreferencesBody,
    returns: { 200: ["The stored preferences", PreferencesOut] },
    errors: [400],
    run: async (caller, { body }) => ({
      preferences: await updatePreferences(caller, parsePreferences(body.preferences)),
    }),
  });

function parsePreferences(value: unknown): z.output<typeof PreferencesIn> {
  // An object that JSON cannot express stands for a string that was too long to read.
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    throw badRequest("preferences must be an object of categories");
  const result = PreferencesIn.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const errors = toValidationErrors("body", result.error.issues, value);
  throw unprocessable(
    errors.map(({ loc: [root = "body", ...rest], ...error }) => ({ loc: [root, "preferences", ...rest], ...error })),
  );
}
