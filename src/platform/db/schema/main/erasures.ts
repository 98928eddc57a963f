import { sql } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const erasures = sqliteTable(
  "erasures",
  {
    workspace: integer().notNull(),
    id: text().notNull(),
    email: text(),
    emailHash: text("email_hash").notNull(),
    progress: text().notNull().default("{}"),
    /** JSON: rows by kind. */
    removed: text().notNull().default("{}"),
    createdAt: integer("created_at").notNull(),
    finishedAt: integer("finished_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspace, t.id] }),
    uniqueIndex("erasures_running").on(t.workspace, t.emailHash).where(sql`finished_at IS NULL`),
  ],
);
