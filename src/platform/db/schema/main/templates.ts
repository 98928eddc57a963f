import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaces } from "./accounts.ts";

export const templates = sqliteTable(
  "templates",
  {
    id: text().primaryKey().notNull(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.number),
    name: text().notNull(),
    subject: text(),
    size: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    htmlBody: text("html_body"),
    textBody: text("text_body"),
    blocksJson: text("blocks_json", { mode: "json" }).$type<Record<string, unknown>>(),
  },
  (t) => [index("templates_by_update").on(t.workspace, t.updatedAt, t.id)],
);
