import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { userId, users, workspaceNumber } from "./accounts.ts";

export const notifications = sqliteTable(
  "notifications",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    userId: userId(),
    category: text({ enum: ["alerts", "sends", "team"] }).notNull(),
    severity: text({ enum: ["info", "success", "warning", "error"] }).notNull(),
    title: text().notNull(),
    body: text().notNull(),
    href: text(),
    readAt: integer("read_at"),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    index("notifications_by_user").on(t.workspace, t.userId, t.id),
    index("notifications_unread").on(t.workspace, t.userId).where(sql`read_at IS NULL`),
  ],
);

export const notificationPreferences = sqliteTable("notification_preferences", {
  userId: text("user_id")
    .primaryKey()
    .notNull()
    .references(() => users.id),
  preferences: text().notNull(),
});

export const notifiedEvents = sqliteTable(
  "notified_events",
  {
    workspace: workspaceNumber(),
    key: text().notNull(),
    id: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.key] }), uniqueIndex("notified_events_by_id").on(t.id)],
);
