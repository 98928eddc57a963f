import { sql } from "drizzle-orm";
import { check, integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** Progress of filling email_search. That table itself is FTS5, which drizzle does not support. */
export const searchProgress = sqliteTable(
  "search_progress",
  { id: integer().primaryKey().notNull(), n: integer().notNull() },
  () => [check("one_row", sql`id = 1`)],
);
