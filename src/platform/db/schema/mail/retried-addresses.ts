import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The last three retries to each address, which a retry is checked against (emails/retry). */
export const retriedAddresses = sqliteTable(
  "retried_addresses",
  {
    workspace: integer().notNull(),
    email: text().notNull(),
    newest: text().notNull(),
    second: text(),
    third: text(),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.email] }), index("retried_addresses_by_newest").on(t.newest)],
);
