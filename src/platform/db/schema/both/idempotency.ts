import { integer, text } from "drizzle-orm/sqlite-core";
import { keyedTable } from "./keyed-table.ts";

export const idempotencyKeys = keyedTable("idempotency_keys", ["day", "workspace", "key"], {
  day: integer().notNull(),
  workspace: integer().notNull(),
  key: text().notNull(),
  fingerprint: text().notNull(),
  answer: text().notNull(),
  createdAt: integer("created_at").notNull(),
});
