import type { Ctx } from "../../context.ts";

/**
 * Belongs into every batch that deletes emails. The greatest numbers may be given again, and what gets them is not in
 * the search index yet.
 */
export function rewindSearchProgressStatement(ctx: Pick<Ctx, "db">): D1PreparedStatement {
  return ctx.db.prepare("UPDATE search_progress SET n = min(n, coalesce((SELECT max(n) FROM emails), 0))");
}
