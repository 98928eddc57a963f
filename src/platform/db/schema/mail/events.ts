import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both/keyed-table.ts";

/** Events of persons, in the order of `n`. */
export const events = sqliteTable(
  "events",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    emailKey: text("email_key").notNull(),
    name: text().notNull(),
    /** JSON object. */
    data: text().notNull(),
    occurredAt: integer("occurred_at").notNull(),
    createdAt: integer("created_at").notNull(),
    /** Unused: NULL (migrations/mail/0250_no_event_copies.sql). */
    copying: integer(),
  },
  (t) => [
    uniqueIndex("events_by_id").on(t.workspace, t.id),
    index("events_by_person").on(t.workspace, t.emailKey, t.n, t.name),
  ],
);

/** Events that the engine of automations has not read. Triggers add them, and delete them with their events. */
export const unreadEvents = keyedTable("unread_events", ["workspace", "n"], {
  workspace: integer().notNull(),
  n: integer().notNull(),
  automation: integer().notNull().default(0),
  notBefore: integer("not_before").notNull().default(0),
});
