import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

const rollupKey = { workspace: integer().notNull(), domain: text().notNull() };
const counter = (name: string) => integer(name).notNull().default(0);
const counters = {
  sent: counter("sent"),
  delivered: counter("delivered"),
  bounced: counter("bounced"),
  failed: counter("failed"),
  opens: counter("opens"),
  clicks: counter("clicks"),
  emailsSent: counter("emails_sent"),
  emailsDelivered: counter("emails_delivered"),
  emailsBounced: counter("emails_bounced"),
  emailsFailed: counter("emails_failed"),
  emailsOpened: counter("emails_opened"),
  emailsClicked: counter("emails_clicked"),
};

export const rollupsHourly = sqliteTable(
  "rollups_hourly",
  { ...rollupKey, hour: integer().notNull(), ...counters },
  (t) => [primaryKey({ columns: [t.workspace, t.hour, t.domain] })],
);

export const rollupsDaily = sqliteTable(
  "rollups_daily",
  { ...rollupKey, day: integer().notNull(), ...counters },
  (t) => [primaryKey({ columns: [t.workspace, t.day, t.domain] })],
);

export const rollupsProgress = sqliteTable("rollups_progress", {
  id: integer().primaryKey().notNull(),
  day: integer().notNull(),
});
