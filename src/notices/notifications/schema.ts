import * as z from "zod";
import { named, serialize } from "../../lib/serialize.ts";
import type { NotificationPage, NotificationRow } from "./queries.ts";
import { categories, DEFAULT_PREFERENCES, severities } from "./rules.ts";

const example = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a90",
  category: "alerts" as const,
  severity: "error" as const,
  title: "example.com can no longer send",
  body: "Its required DNS records were missing or wrong in 3 daily checks in a row. Restore them and verify the domain again.",
  href: "/domains/019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02",
  read_at: null,
  created_at: "2026-11-21T14:00:00.000Z",
};

/** A notification. */
export const NotificationOut = z
  .object({
    id: z.uuid(),
    category: z.enum(categories).describe("alerts: something needs attention. sends: broadcasts. team: members."),
    severity: z.enum(severities),
    title: z.string(),
    body: z.string(),
    href: z.string().nullable().describe("Path of the page about it, below /app of the dashboard."),
    read_at: z.string().meta({ format: "date-time" }).nullable(),
    created_at: z.string().meta({ format: "date-time" }),
  })
  .meta(named("Notification", example));
export type NotificationOut = z.output<typeof NotificationOut>;

const count = z.int().min(0);

export const NotificationPageOut = z
  .object({
    items: z.array(NotificationOut),
    total: count.describe("Notifications that match the filters `unread` and `category`, on all pages."),
    unread: count.describe("All your unread notifications in this workspace, whatever the filters."),
    limit: z.int(),
    offset: z.int(),
    category_counts: z
      .object({ alerts: count, sends: count, team: count })
      .describe("All your notifications in this workspace by category, whatever the filters."),
  })
  .meta(
    named("NotificationPage", {
      items: [example],
      total: 1,
      unread: 1,
      limit: 50,
      offset: 0,
      category_counts: { alerts: 1, sends: 0, team: 0 },
    }),
  );

export const ReadAllOut = z
  .object({ updated: count.describe("How many were unread.") })
  .meta(named("NotificationsRead", { updated: 3 }));

const channelsOut = z.object({ web: z.boolean(), email: z.boolean(), slack: z.boolean() });

/** Preferences of a user (docs/contract/notifications.md#categories-and-channels). */
export const PreferencesOut = z
  .object({
    preferences: z
      .object({ alerts: channelsOut, sends: channelsOut, team: channelsOut })
      .describe(
        "web: this list. email: emails of the service to you; that emails wait for the service is emailed when it is over. slack: one post an event to the Slack webhook of the workspace, if any owner wants it.",
      ),
  })
  .meta(named("NotificationPreferences", { preferences: DEFAULT_PREFERENCES }));

const flag = z.boolean().optional();
const channelsIn = z.object({ web: flag, email: flag, slack: flag }).optional();

/** The flags of a request whose `preferences` are an object. */
export const PreferencesIn = z.object({ alerts: channelsIn, sends: channelsIn, team: channelsIn });

export const PreferencesBody = z
  .object({
    preferences: z
      .unknown()
      .optional()
      .describe("Category to channel flags. What is left out keeps its value; unknown keys are ignored.")
      .meta({ type: "object", additionalProperties: { type: "object", additionalProperties: { type: "boolean" } } }),
  })
  .meta(named("NotificationPreferencesUpdate", { preferences: { sends: { email: true, slack: false } } }));

/** Serializes a notification. */
export const toNotification = (row: NotificationRow): NotificationOut => serialize(NotificationOut, row);

/** Serializes a page of the list. */
export function toPage(page: NotificationPage, { limit, offset }: { limit: number; offset: number }) {
  const { rows, total, unread, categoryCounts } = page;
  return { items: rows.map(toNotification), total, unread, limit, offset, category_counts: categoryCounts };
}
