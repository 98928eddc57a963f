import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const domainFailures = sqliteTable(
  "domain_failures",
  {
    workspace: integer().notNull(),
    email: text().notNull(),
    firstAt: integer("first_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.email] }), index("domain_failures_by_time").on(t.workspace, t.firstAt)],
);
