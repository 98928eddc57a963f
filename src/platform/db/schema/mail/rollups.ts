import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both/keyed-table.ts";

const rollupKey = { workspace: integer().notNull(), domain: text().notNull() };
const recipients = [
  "sent",
  "delivered",
  "bounced",
  "failed",
  "opens",
  "clicks",
  "complained",
  "deferred",
  "unsubscribed",
];
const emails = [
  "sent",
  "delivered",
  "bounced",
  "failed",
  "opened",
  "clicked",
  "complained",
  "deferred",
  "unsubscribed",
];
const counters = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, integer(name).notNull().default(0)]));
/** Counts of recipients, and of emails for opens and clicks. */
const totals = counters(...recipients, "refused", "soft_bounced", "unsent");
const all = { ...totals, ...counters(...[...emails, "refused"].map((name) => `emails_${name}`)) };

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
