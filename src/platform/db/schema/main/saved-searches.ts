import { text } from "drizzle-orm/sqlite-core";
import { keyedTable } from "../both/keyed-table.ts";
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

export const savedSearches = keyedTable("saved_searches", ["workspace", "userId"], {
  workspace: workspaceNumber(),
  userId: userId(),
  searches: text({ mode: "json" }).$type<SavedSearch[]>().notNull(),
});
