import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const outageWorkspaces = sqliteTable(
  "outage_workspaces",
  {
    workspace: integer().primaryKey().notNull(),
    /** When an email of the workspace last began to wait for the egress. */
    waitingAt: integer("waiting_at").notNull(),
    /** The outage of which its owners were notified. */
    notified: text(),
  },
  (t) => [index("outage_workspaces_by_notified").on(t.notified, t.workspace)],
);
