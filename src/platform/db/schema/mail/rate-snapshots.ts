import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const rateSnapshots = sqliteTable(
  "rate_snapshots",
  {
    n: integer().primaryKey().notNull(),
    at: integer().notNull(),
    first: integer().notNull(),
    counts: text().notNull(),
    lastHour: text("last_hour").notNull(),
  },
  (t) => [uniqueIndex("rate_snapshots_by_time").on(t.first, t.at)],
);
