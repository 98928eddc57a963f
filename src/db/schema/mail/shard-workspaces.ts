import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The workspaces whose mail this database holds. A closed workspace accepts no mail. */
export const shardWorkspaces = sqliteTable("shard_workspaces", {
  number: integer().primaryKey().notNull(),
  id: text().notNull(),
  status: text({ enum: ["open", "closed"] }).notNull(),
});
