import { sql } from "drizzle-orm";
import { check, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users, workspaces } from "./accounts.ts";

/** Progress of filling email_search. That table itself is FTS5, which drizzle does not support. */
export const searchProgress = sqliteTable(
  "search_progress",
  { id: integer().primaryKey().notNull(), n: integer().notNull() },
  () => [check("one_row", sql`id = 1`)],
);

/** One saved search of a user (specification: Saved search). */
export interface SavedSearch {
  id: string;
  name: string;
  query: string | null;
  range: string | null;
  status: string | null;
  domain: string | null;
  source: string | null;
}

export const savedSearches = sqliteTable(
  "saved_searches",
  {
    workspace: integer()
      .notNull()
      .references(() => workspaces.number),
    userId: text("user_id")
      .notNull()
      .references(() => users.id),
    searches: text({ mode: "json" }).$type<SavedSearch[]>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.userId] })],
);
