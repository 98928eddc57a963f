import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The records that the zones of the deployment are to have (src/domains/zones). */
export const zoneRecords = sqliteTable(
  "zone_records",
  {
    name: text().notNull(),
    type: text({ enum: ["TXT", "MX", "CNAME", "A", "AAAA"] }).notNull(),
    zone: text().notNull(),
    value: text().notNull(),
    priority: integer(),
    isProxied: integer("is_proxied").$type<0 | 1>().notNull().default(0),
    domainId: text("domain_id"),
    keyId: text("key_id"),
    isRemoved: integer("is_removed").$type<0 | 1>().notNull().default(0),
    removeAt: integer("remove_at"),
    writtenAt: integer("written_at"),
    confirmedAt: integer("confirmed_at"),
    dueAt: integer("due_at"),
    attempts: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.name, t.type] }),
    index("zone_records_due").on(t.dueAt).where(sql`due_at IS NOT NULL`),
    index("zone_records_by_domain").on(t.domainId).where(sql`domain_id IS NOT NULL`),
  ],
);

export const zones = sqliteTable("zones", {
  name: text().primaryKey().notNull(),
  records: integer().notNull().default(0),
  fullAt: integer("full_at"),
});
