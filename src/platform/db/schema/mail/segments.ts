import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both/keyed-table.ts";

export const segments = sqliteTable(
  "segments",
  {
    n: integer().primaryKey({ autoIncrement: true }).notNull(),
    workspace: integer().notNull(),
    id: text().notNull(),
    name: text().notNull(),
    conditions: text().notNull(),
    segments: text().notNull().default("[]"),
    count: text(),
    countStep: integer("count_step").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (t) => [uniqueIndex("segments_by_id").on(t.workspace, t.id)],
);

export const personActivity = keyedTable("person_activity", ["workspace", "emailKey"], {
  workspace: integer().notNull(),
  emailKey: text("email_key").notNull(),
  receivedAt: integer("received_at"),
  openedAt: integer("opened_at"),
  clickedAt: integer("clicked_at"),
  broadcasts: text().notNull().default("{}"),
});
