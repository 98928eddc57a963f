import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { CallerCtx } from "./caller.ts";

/** Returns the condition that selects the rows of the caller's workspace of the domains that its credential may see. */
export function visibleTo(
  { actor: { domainIds }, workspace }: CallerCtx,
  columns: { workspace: SQLiteColumn; domainId: SQLiteColumn },
): SQL | undefined {
  const ids = domainIds && JSON.stringify([...domainIds]);
  const isPermitted = ids === null ? undefined : sql`${columns.domainId} IN (SELECT value FROM json_each(${ids}))`;
  return and(eq(columns.workspace, workspace.number), isPermitted);
}
