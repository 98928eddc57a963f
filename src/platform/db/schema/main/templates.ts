import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { workspaceNumber } from "./accounts.ts";

export const templates = sqliteTable(
  "templates",
  {
    id: text().primaryKey().notNull(),
    workspace: workspaceNumber(),
    name: text().notNull(),
    subject: text(),
    size: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    htmlBody: text("html_body"),
    textBody: text("text_body"),
    blocksJson: text("blocks_json", { mode: "json" }).$type<Record<string, unknown>>(),
    language: text({ enum: ["placeholders", "liquid"] })
      .notNull()
      .default("placeholders"),
    /** Names of the templates that a Liquid template renders; null: none. */
    parts: text({ mode: "json" }).$type<string[]>(),
    /** The values that a Liquid template reads; null for one of placeholders. */
    variables: text({ mode: "json" }).$type<string[]>(),
  },
  (t) => [
    index("templates_by_update").on(t.workspace, t.updatedAt, t.id),
    index("templates_by_name").on(t.workspace, t.name, t.updatedAt),
    index("templates_by_size").on(t.workspace, t.size),
  ],
);
