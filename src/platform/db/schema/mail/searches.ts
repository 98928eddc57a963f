import { sql } from "drizzle-orm";
import { check, integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** Written by earlier versions only: the index itself tells its progress. (email_search is FTS5, which drizzle does not support.) */
export const searchProgress = sqliteTable(
  "search_progress",
  { id: integer().primaryKey().notNull(), n: integer().notNull() },
  () => [check("one_row", sql`id = 1`)],
);
