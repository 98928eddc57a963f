import { and, desc, eq, getTableColumns, lt, type SQL } from "drizzle-orm";
import type { CallerCtx } from "../../../access/caller.ts";
import { forbidden } from "../../../lib/errors.ts";
import type { Ctx } from "../../../platform/context.ts";
import { orm } from "../../../platform/db/client.ts";
import { auditLog } from "../../../platform/db/schema/main/index.ts";

export type AuditRow = typeof auditLog.$inferSelect;

interface Page {
  /** Continues after the entry with this id. */
  after?: string;
  limit: number;
}

/**
 * Returns the audit log of the caller's workspace, newest first. Throws 403 for a key that is restricted to domains: the
 * log covers the whole workspace.
 */
export async function listAudit(ctx: CallerCtx, page: Page): Promise<AuditRow[]> {
  if (ctx.actor.domainIds) throw forbidden("This API key is restricted to certain domains");
  return select(ctx, eq(auditLog.workspace, ctx.workspace.number), page);
}

/** Returns the audit log of all workspaces and of the platform, newest first. */
export function listAllAudit(ctx: Ctx, page: Page): Promise<AuditRow[]> {
  return select(ctx, undefined, page);
}

function select(ctx: Ctx, where: SQL | undefined, { after, limit }: Page): Promise<AuditRow[]> {
  return orm(ctx)
    .select(getTableColumns(auditLog))
    .from(auditLog)
    .where(and(where, after === undefined ? undefined : lt(auditLog.id, after)))
    .orderBy(desc(auditLog.id))
    .limit(limit);
}
