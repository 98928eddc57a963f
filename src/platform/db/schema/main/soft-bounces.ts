import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const softBounces = sqliteTable(
  "soft_bounces",
  {
    workspace: integer().notNull(),
    email: text().notNull(),
    emailIds: text("email_ids").notNull(),
    isRefusal: integer("is_refusal").notNull(),
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
    acceptedId: text("accepted_id"),
    acceptedAt: integer("accepted_at"),
    listedAt: integer("listed_at"),
  },
  (t) => [
    primaryKey({ columns: [t.workspace, t.email] }),
    index("soft_bounces_listed").on(t.workspace, t.email).where(sql`listed_at IS NOT NULL`),
    index("soft_bounces_by_time").on(t.lastAt).where(sql`listed_at IS NULL`),
  ],
);
