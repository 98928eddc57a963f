import { and, eq, gt } from "drizzle-orm";
import type { CallerCtx } from "../../access/caller.ts";
import { orm } from "../../platform/db/client.ts";
import { suppressions } from "../../platform/db/schema/main/index.ts";

export type SuppressionRow = typeof suppressions.$inferSelect;

/**
 * Returns one page of the suppressed addresses of the workspace in order of their keys, and one row more when another page
 * follows. `after` seeks in the index; `page` reads what it skips.
 */
export function listSuppressions(
  ctx: CallerCtx,
  { email, after, page, limit }: { email?: string | null; after?: string; page: number; limit: number },
): Promise<SuppressionRow[]> {
  return orm(ctx)
    .select()
    .from(suppressions)
    .where(
      and(
        eq(suppressions.workspace, ctx.workspace.number),
        email === undefined ? undefined : eq(suppressions.email, email ?? ""),
        after === undefined ? undefined : gt(suppressions.email, after),
      ),
    )
    .orderBy(suppressions.email)
    .limit(limit + 1)
    .offset(page * limit);
}
