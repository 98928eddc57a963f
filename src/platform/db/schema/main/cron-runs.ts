import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const cronRuns = sqliteTable("cron_runs", {
  schedule: text().primaryKey().notNull(),
  ranAt: integer("ran_at").notNull(),
});
