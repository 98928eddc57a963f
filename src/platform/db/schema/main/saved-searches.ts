import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { userId, workspaceNumber } from "./accounts.ts";

/** One saved search of a user. */
export interface SavedSearch {
  id: string;
  name: string;
  query: string | null;
  range: string | null;
  status: string | null;
  domain: string | null;
  source: string | null;
}

export const savedSearches = sqliteTable(
  "saved_searches",
  {
    workspace: workspaceNumber(),
    userId: userId(),
    searches: text({ mode: "json" }).$type<SavedSearch[]>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace, t.userId] })],
);
