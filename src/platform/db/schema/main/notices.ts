import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
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

export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    url: text().notNull(),
    events: text({ mode: "json" }).$type<string[]>().notNull(),
    secret: text().notNull(),
    secretEnd: text("secret_end").notNull(),
    previousSecret: text("previous_secret"),
    previousUntil: integer("previous_until"),
    isActive: integer("is_active", { mode: "boolean" }).notNull().default(true),
    version: integer().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [index("webhooks_by_workspace").on(t.workspace, t.id), check("webhooks_is_active", sql`is_active IN (0, 1)`)],
);
