import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const contactLists = sqliteTable(
  "contact_lists",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    name: text().notNull(),
    description: text(),
    iconSeed: text("icon_seed"),
    contactCount: integer("contact_count").notNull().default(0),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [uniqueIndex("contact_lists_by_id").on(t.workspace, t.id)],
);

export const contacts = sqliteTable(
  "contacts",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    list: integer().notNull(),
    id: text().notNull(),
    email: text().notNull(),
    emailKey: text("email_key").notNull(),
    name: text(),
    metadata: text({ mode: "json" }).$type<Record<string, unknown>>(),
    suppressed: text({ enum: ["bounce", "complaint", "unsubscribe", "manual"] }),
    createdAt: integer("created_at").notNull(),
    unsubscribed: integer().notNull().default(0),
    softBounced: integer("soft_bounced").notNull().default(0),
  },
  (t) => [
    uniqueIndex("contacts_by_id").on(t.list, t.id),
    uniqueIndex("contacts_by_email").on(t.workspace, t.emailKey, t.list),
  ],
);
