import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const receiverDomains = sqliteTable("receiver_domains", {
  domain: text().primaryKey().notNull(),
  receiver: text().notNull(),
  seenAt: integer("seen_at").notNull(),
});

export const receiverWaits = sqliteTable("receiver_waits", {
  receiver: text().primaryKey().notNull(),
  label: text().notNull(),
  reason: text().notNull(),
  until: integer().notNull(),
});
