import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

const rollupKey = { workspace: integer().notNull(), domain: text().notNull() };
const counter = (name: string) => integer(name).notNull().default(0);
/** Counts of recipients, and of emails for opens and clicks. */
const totals = {
  sent: counter("sent"),
  delivered: counter("delivered"),
  bounced: counter("bounced"),
  failed: counter("failed"),
  opens: counter("opens"),
  clicks: counter("clicks"),
  complained: counter("complained"),
  deferred: counter("deferred"),
  unsubscribed: counter("unsubscribed"),
  refused: counter("refused"),
  softBounced: counter("soft_bounced"),
  unsent: counter("unsent"),
};
const counters = {
  ...totals,
  emailsSent: counter("emails_sent"),
  emailsDelivered: counter("emails_delivered"),
  emailsBounced: counter("emails_bounced"),
  emailsFailed: counter("emails_failed"),
  emailsOpened: counter("emails_opened"),
  emailsClicked: counter("emails_clicked"),
  emailsComplained: counter("emails_complained"),
  emailsDeferred: counter("emails_deferred"),
  emailsUnsubscribed: counter("emails_unsubscribed"),
  emailsRefused: counter("emails_refused"),
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

export const rollupsTotals = sqliteTable(
  "rollups_totals",
  { workspace: integer().notNull(), hour: integer().notNull(), ...totals },
  (t) => [primaryKey({ columns: [t.workspace, t.hour] })],
);

export const rollupsClosed = sqliteTable("rollups_closed", {
  id: integer().primaryKey().notNull(),
  hour: integer().notNull(),
});
