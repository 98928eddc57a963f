import { sql } from "drizzle-orm";
import { index, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { outboxColumns } from "../both/index.ts";

export const outbox = sqliteTable("outbox", outboxColumns(), (t) => [
  primaryKey({ columns: [t.dueAt, t.id] }),
  index("outbox_of_events").on(t.ref).where(sql`kind = 'events'`),
]);

/** Outbox rows of a restored backup, until an operator resumes them. */
export const heldOutbox = sqliteTable("held_outbox", { ...outboxColumns(), id: text().primaryKey().notNull() });
