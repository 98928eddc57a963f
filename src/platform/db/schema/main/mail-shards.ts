import { integer, sqliteTable } from "drizzle-orm/sqlite-core";

/** The mail databases, their sizes and whether new workspaces are placed there. */
export const mailShards = sqliteTable("mail_shards", {
  number: integer().primaryKey().notNull(),
  size: integer().notNull().default(0),
  workspaces: integer().notNull().default(0),
  isOpen: integer("is_open", { mode: "boolean" }).notNull().default(true),
  sweptAt: integer("swept_at").notNull().default(0),
});
