import { integer, text } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both/keyed-table.ts";

export const suppressions = keyedTable("suppressions", ["workspace", "email"], {
  workspace: integer().notNull(),
  email: text().notNull(),
  reason: text({ enum: ["bounce", "complaint", "unsubscribe", "manual"] }).notNull(),
  createdAt: integer("created_at").notNull(),
  emailId: text("email_id"),
  unsubscribedAt: integer("unsubscribed_at"),
});
