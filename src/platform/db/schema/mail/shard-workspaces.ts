import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
    /** One bit (src/platform/db/people-flags.ts). */
    people: integer().notNull().default(0),
    /** Since when activity is kept without a gap, in ms since 1970. Null: it is not kept. */
    activitySince: integer("activity_since"),
  },
  (t) => [index("shard_workspaces_by_bulk_pause").on(t.number).where(sql`bulk_pause > 0`)],
);
