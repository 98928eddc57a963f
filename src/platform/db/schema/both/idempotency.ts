import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    day: integer().notNull(),
    workspace: integer().notNull(),
    key: text().notNull(),
    fingerprint: text().notNull(),
    answer: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.workspace, t.key] })],
);
