import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const dailyMetrics = sqliteTable("daily_figures", {
  /** Days since 1970. */
  day: integer().primaryKey().notNull(),
  /** JSON: count by name. */
  figures: text().notNull(),
});
