import { sql } from "drizzle-orm";
import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { outboxColumns } from "../both/index.ts";

export { heldOutbox, quarantine } from "../both/index.ts";

/** `outage` and `broadcast` are null here: both kinds of databases have one set of statements. */
export const outbox = sqliteTable("outbox", { ...outboxColumns(), outage: text() }, (t) => [
  index("outbox_by_turn").on(t.workspace, t.dueAt).where(sql`broadcast IS NULL`),
  index("outbox_by_broadcast").on(t.broadcast, t.dueAt).where(sql`broadcast IS NOT NULL`),
  index("outbox_of_events").on(t.ref).where(sql`kind = 'events'`),
]);
