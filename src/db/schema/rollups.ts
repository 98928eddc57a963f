import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const rollupsHourly = sqliteTable(
  "rollups_hourly",
  {
    workspace: integer().notNull(),
    hour: integer().notNull(),
    domain: text().notNull(),
    sent: integer().notNull().default(0),
    delivered: integer().notNull().default(0),
    bounced: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    opens: integer().notNull().default(0),
    clicks: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.hour, t.domain] })],
);

export const rollupsDaily = sqliteTable(
  "rollups_daily",
  {
    workspace: integer().notNull(),
    day: integer().notNull(),
    domain: text().notNull(),
    sent: integer().notNull().default(0),
    delivered: integer().notNull().default(0),
    bounced: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    opens: integer().notNull().default(0),
    clicks: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.day, t.domain] })],
);

export const rollupsProgress = sqliteTable("rollups_progress", {
  id: integer().primaryKey().notNull(),
  day: integer().notNull(),
});
