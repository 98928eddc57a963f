import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const serviceKeys = sqliteTable("service_keys", {
  name: text().primaryKey(),
  secret: text().notNull(),
  createdAt: integer("created_at").notNull(),
});
