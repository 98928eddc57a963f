import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const egressWarmUps = sqliteTable("egress_warm_ups", {
  /** Source address. */
  address: text().primaryKey().notNull(),
  /** EGRESS_NAME in lower case. */
  name: text().notNull(),
  isWarming: integer("is_warming").notNull(),
  /** First day of all receivers; null: of each receiver its first day with mail. */
  since: integer(),
  seenAt: integer("seen_at").notNull(),
});
