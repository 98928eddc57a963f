import { integer, text } from "drizzle-orm/sqlite-core";

/** Returns the columns that the outbox has in every database. */
export const outboxColumns = () => ({
  dueAt: integer("due_at").notNull(),
  id: text().notNull(),
  kind: text().notNull(),
  ref: text().notNull(),
  token: text(),
  claims: integer().notNull().default(0),
});
