import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { outboxColumns } from "../both.ts";

export const outbox = sqliteTable(
  "outbox",
  {
    ...outboxColumns(),
    outage: text({ enum: ["waiting", "released"] }),
    stopped: integer(),
  },
  (t) => [
    index("outbox_by_turn").on(t.workspace, t.dueAt).where(sql`broadcast IS NULL`),
    index("outbox_by_broadcast").on(t.broadcast, t.dueAt).where(sql`broadcast IS NOT NULL`),
    index("outbox_by_outage").on(t.outage, t.id).where(sql`outage IS NOT NULL`),
    index("outbox_by_stopped").on(t.stopped).where(sql`stopped IS NOT NULL`),
    uniqueIndex("outbox_one_release").on(t.kind).where(sql`kind = 'release'`),
  ],
);

export const outageWorkspaces = sqliteTable(
  "outage_workspaces",
  {
    workspace: integer().primaryKey().notNull(),
    /** When an email of the workspace last began to wait for the egress. */
    waitingAt: integer("waiting_at").notNull(),
    /** The outage of which its owners were notified. */
    notified: text(),
  },
  (t) => [index("outage_workspaces_by_notified").on(t.notified, t.workspace)],
);

/** The workspaces whose mail this database holds. A closed workspace accepts no mail. */
export const shardWorkspaces = sqliteTable(
  "shard_workspaces",
  {
    number: integer().primaryKey().notNull(),
    id: text().notNull(),
    status: text({ enum: ["open", "closed"] }).notNull(),
    /** The day of `dayEmails`, in days since 1970 (UTC). Null: none was counted. */
    day: integer(),
    /** Emails that were accepted on the day, counted while the workspace has a daily limit. */
    dayEmails: integer("day_emails").notNull().default(0),
    /** Copy of workspaces.bulk_pause. */
    bulkPause: integer("bulk_pause").notNull().default(0),
    /** Unused; versions before 0.3 write it. */
    people: integer().notNull().default(0),
    /** Since when activity is kept without a gap, in ms since 1970. Null: it is not kept. */
    activitySince: integer("activity_since"),
    /** Copy of workspaces.budgets. */
    budgets: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
    /** The counts of a job: rows by the names of their tables, and `bytes` (src/operations/retention). */
    stored: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
  },
  (t) => [index("shard_workspaces_by_bulk_pause").on(t.number).where(sql`bulk_pause > 0`)],
);
