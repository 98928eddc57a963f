import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Events of persons, in the order of `n`. Only the first mail database of a workspace keeps them. */
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
    /** Set while the event is in another database than the first of its workspace. */
    copying: integer(),
  },
  (t) => [
    uniqueIndex("events_by_id").on(t.workspace, t.id),
    index("events_by_person").on(t.workspace, t.emailKey, t.n, t.name),
    index("events_to_copy").on(t.workspace, t.n).where(sql`copying IS NOT NULL`),
  ],
);
