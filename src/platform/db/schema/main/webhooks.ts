import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaceNumber } from "./accounts.ts";

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
