import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { outboxColumns } from "../both/index.ts";

export { heldOutbox, quarantine } from "../both/index.ts";

export const outbox = sqliteTable(
  "outbox",
  {
    ...outboxColumns(),
    outage: text({ enum: ["waiting", "released"] }),
    stopped: integer(),
  },
  (t) => [
    index("outbox_by_turn").on(t.workspace, t.dueAt).where(sql`broadcast IS NULL`),
    index("outbox_by_broadcast").on(t.broadcast, t.dueAt).where(sql`broadcast IS NOT NULL`),
    index("outbox_by_outage").on(t.outage, t.id).where(sql`outage IS NOT NULL`),
    index("outbox_by_stopped").on(t.stopped).where(sql`stopped IS NOT NULL`),
    uniqueIndex("outbox_one_release").on(t.kind).where(sql`kind = 'release'`),
  ],
);
