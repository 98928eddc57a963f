import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Hosts to which tracking links do not redirect, with their sub-domains. */
export const blockedHosts = sqliteTable("blocked_hosts", {
  host: text().primaryKey(),
  createdAt: integer("created_at").notNull(),
});
