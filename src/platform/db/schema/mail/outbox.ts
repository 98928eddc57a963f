import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { outboxColumns } from "../both/index.ts";

export const outbox = sqliteTable(
  "outbox",
  {
    ...outboxColumns(),
    outage: text({ enum: ["waiting", "released"] }),
    broadcast: integer(),
    stopped: integer(),
  },
  (t) => [
    primaryKey({ columns: [t.dueAt, t.id] }),
    index("outbox_by_broadcast").on(t.broadcast, t.dueAt, t.id).where(sql`broadcast IS NOT NULL`),
    index("outbox_by_outage").on(t.outage, t.id).where(sql`outage IS NOT NULL`),
    index("outbox_by_stopped").on(t.stopped).where(sql`stopped IS NOT NULL`),
    uniqueIndex("outbox_one_release").on(t.kind).where(sql`kind = 'release'`),
  ],
);

/** Outbox rows of a restored backup, until an operator resumes them. */
export const heldOutbox = sqliteTable("held_outbox", {
  ...outboxColumns(),
  id: text().primaryKey().notNull(),
  outage: text(),
  broadcast: integer(),
});
