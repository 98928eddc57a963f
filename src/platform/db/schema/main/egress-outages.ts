import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const egressOutages = sqliteTable(
  "egress_outages",
  {
    id: text().primaryKey().notNull(),
    beganAt: integer("began_at").notNull(),
    /** Null: the outage lasts. */
    endedAt: integer("ended_at"),
  },
  (t) => [index("egress_outages_open").on(t.beganAt).where(sql`ended_at IS NULL`)],
);

export const egressProbe = sqliteTable("egress_probe", {
  id: integer().primaryKey().notNull(),
  startedAt: integer("started_at").notNull(),
  /** Null: the last probe failed. */
  respondedAt: integer("answered_at"),
});
