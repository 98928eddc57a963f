import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const outbox = sqliteTable(
  "outbox",
  {
    dueAt: integer("due_at").notNull(),
    id: text().notNull(),
    kind: text().notNull(),
    ref: text().notNull(),
    token: text(),
    claims: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.dueAt, t.id] })],
);
