import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { offsetQuery } from "../../http/pagination.ts";
import { body, query, toValidationErrors } from "../../http/validate.ts";
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

const operation = operationsOf("Notifications");

const ListQuery = z.object({
  unread: z
    .enum(["true", "false"], "unread must be true or false")
    .default("false")
    .transform((value) => value === "true")
    .meta({ type: "boolean", default: false, description: "true: only those that are not read." }),
  category: z.string().max(100).optional().describe("alerts, sends or team. No notification has another category."),
  ...offsetQuery({ default: 50, max: 200 }),
});

export const notificationRoutes = newRoutes()
  .get(
    "/v1/notifications",
    operation("notifications:view", "listNotifications", {
      summary: "List your notifications",
      description: `Those of your user in the active workspace, newest first. They are kept ${NOTIFICATION_DAYS} days. Among the alerts: emails of the workspace wait because the service cannot hand them over for ten minutes, and the end of that.`,
      responses: responses(200, "A page of notifications, and the counts", NotificationPageOut, [403]),
    }),
    query(ListQuery),
    async (c) => {
      const { unread, category, limit, offset } = c.req.valid("query");
      const page = await listNotifications(c.get("caller"), { unread, category, limit, offset });
      return c.json(toPage(page, { limit, offset }));
    },
  )
  .post(
    "/v1/notifications/read-all",
    operation("notifications:manage", "markAllNotificationsRead", {
      summary: "Mark all your notifications read",
      description: "Those of your user in the active workspace.",
      responses: responses(200, "How many were unread", ReadAllOut, [403]),
    }),
    async (c) => c.json({ updated: await markAllRead(c.get("caller")) }),
  )
  .post(
    "/v1/notifications/:notification_id/read",
    operation("notifications:manage", "markNotificationRead", {
      summary: "Mark a notification read",
      description: "A second call changes nothing: `read_at` keeps the time of the first.",
      responses: responses(200, "The notification", NotificationOut, [403, 404]),
    }),
    async (c) => c.json(toNotification(await markRead(c.get("caller"), c.req.param("notification_id")))),
  )
  .get(
    "/v1/notifications/preferences",
    operation("notifications:view", "getNotificationPreferences", {
      summary: "Get your notification preferences",
      description: "They belong to your user and apply in each of your workspaces.",
      responses: responses(200, "The preferences", PreferencesOut, [403]),
    }),
    async (c) => c.json({ preferences: await getPreferences(c.get("caller")) }),
  )
  .put(
    "/v1/notifications/preferences",
    operation("notifications:manage", "updateNotificationPreferences", {
      summary: "Change your notification preferences",
      description: "Returns all preferences as they are stored. 400 when `preferences` is not an object.",
      responses: responses(200, "The stored preferences", PreferencesOut, [400, 403, 413, 415]),
    }),
    ...body(PreferencesBody),
    async (c) => {
      const { preferences } = c.req.valid("json");
      return c.json({ preferences: await updatePreferences(c.get("caller"), parsePreferences(preferences)) });
    },
  );

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
