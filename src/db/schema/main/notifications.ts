import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users, workspaces } from "./accounts.ts";

export const notifications = sqliteTable(
  "notifications",
  {
    id: text().primaryKey().notNull(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.number),
    userId: text("user_id")
      .notNull()
      .references(() => users.id),
    category: text({ enum: ["alerts", "sends", "team"] }).notNull(),
    severity: text({ enum: ["info", "success", "warning", "error"] }).notNull(),
    title: text().notNull(),
    body: text().notNull(),
    href: text(),
    readAt: integer("read_at"),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [index("notifications_by_user").on(t.workspace, t.userId, t.id)],
);
