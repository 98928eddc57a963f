import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const webhookEndpoints = sqliteTable(
  "webhook_endpoints",
  {
    id: text().primaryKey().notNull(),
    workspace: integer().notNull(),
    version: integer().notNull(),
    events: text({ mode: "json" }).$type<string[]>().notNull(),
    dueAt: integer("due_at"),
    token: text(),
    failingSince: integer("failing_since"),
    gaveUpAt: integer("gave_up_at"),
    pending: integer().notNull().default(0),
    delivered: integer().notNull().default(0),
    retrying: integer().notNull().default(0),
    failed: integer().notNull().default(0),
  },
  (t) => [
    index("webhook_endpoints_by_workspace").on(t.workspace),
    index("webhook_endpoints_turns").on(t.dueAt, t.workspace).where(sql`due_at IS NOT NULL`),
  ],
);

export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    n: integer().primaryKey().notNull(),
    id: text().notNull(),
    workspace: integer().notNull(),
    endpoint: text().notNull(),
    webhookId: text("webhook_id"),
    email: text().notNull(),
    eventType: text("event_type").notNull(),
    payload: text().notNull(),
    isForced: integer("is_forced", { mode: "boolean" }).notNull().default(false),
    status: text({ enum: ["pending", "delivered", "retrying", "failed"] }).notNull(),
    attempt: integer().notNull().default(0),
    dueAt: integer("due_at"),
    url: text(),
    responseStatus: integer("response_status"),
    responseBody: text("response_body"),
    error: text(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("webhook_deliveries_by_id").on(t.workspace, t.id),
    index("webhook_deliveries_by_status").on(t.endpoint, t.status, t.n),
    index("webhook_deliveries_open").on(t.endpoint, t.dueAt, t.n).where(sql`due_at IS NOT NULL`),
  ],
);
