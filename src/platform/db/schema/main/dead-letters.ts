import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const deadLetters = sqliteTable("dead_letters", {
  id: text().primaryKey().notNull(),
  queue: text().notNull(),
  body: text().notNull(),
  recordedAt: integer("recorded_at").notNull(),
});
