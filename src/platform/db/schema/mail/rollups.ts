import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both.ts";

const rollupKey = { workspace: integer().notNull(), domain: text().notNull() };
const outcomes = ["sent", "delivered", "bounced", "failed", "complained", "deferred", "unsubscribed"];
const counters = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, integer(name).notNull().default(0)]));
/** Counts of recipients, and of emails for opens and clicks. */
const totals = counters(...outcomes, "opens", "clicks", "refused", "soft_bounced", "unsent");
const ofEmails = [...outcomes, "opened", "clicked", "refused"].map((name) => `emails_${name}`);
const all = { ...totals, ...counters(...ofEmails) };

export const rollupsHourly = keyedTable("rollups_hourly", ["workspace", "hour", "domain"], {
  ...rollupKey,
  hour: integer().notNull(),
  ...all,
});

export const rollupsDaily = keyedTable("rollups_daily", ["workspace", "day", "domain"], {
  ...rollupKey,
  day: integer().notNull(),
  ...all,
});

export const rollupsProgress = sqliteTable("rollups_progress", {
  id: integer().primaryKey().notNull(),
  day: integer().notNull(),
});

export const rollupsTotals = keyedTable("rollups_totals", ["workspace", "hour"], {
  workspace: integer().notNull(),
  hour: integer().notNull(),
  ...totals,
});

export const rollupsClosed = sqliteTable("rollups_closed", {
  id: integer().primaryKey().notNull(),
  hour: integer().notNull(),
});

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
