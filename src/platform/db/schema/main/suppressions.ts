import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const suppressions = sqliteTable(
  "suppressions",
  {
    workspace: integer().notNull(),
    email: text().notNull(),
    reason: text({ enum: ["bounce", "complaint", "unsubscribe", "manual"] }).notNull(),
    createdAt: integer("created_at").notNull(),
    emailId: text("email_id"),
    unsubscribedAt: integer("unsubscribed_at"),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.email] })],
);
