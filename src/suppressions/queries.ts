import { and, eq, gt } from "drizzle-orm";
import type { CallerCtx } from "../context.ts";
import { orm } from "../db/client.ts";
import { suppressions } from "../db/schema/index.ts";

export type SuppressionRow = typeof suppressions.$inferSelect;

/** Suppressed addresses of the caller's workspace, in their order; `after` continues behind one at no extra cost. */
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
    .limit(limit)
    .offset(page * limit);
}
