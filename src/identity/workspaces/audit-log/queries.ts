import { and, desc, eq, getTableColumns, lt, type SQL } from "drizzle-orm";
import type { CallerCtx, ListRange } from "../../../access/caller.ts";
import { forbidden } from "../../../lib/errors.ts";
import { idOfTime } from "../../../lib/ids.ts";
import type { Ctx } from "../../../platform/context.ts";
import { orm } from "../../../platform/db/client.ts";
import { auditLog } from "../../../platform/db/schema/main/index.ts";

export type AuditRow = typeof auditLog.$inferSelect;

/** Restricts a log to what one person did, or to one kind of record, and to what was before a time, in ms since 1970. */
export interface AuditFilter {
  userId?: string | undefined;
  kind?: string | undefined;
  before?: number | undefined;
}

/** Entries that one page of a filtered log reads at most. */
const MAX_SCANNED = 5_000;

/**
 * Returns the audit log of the caller's workspace, newest first; with a filter, of the next 5,000 entries. Throws 403 for a key that is
 * restricted to domains: the log covers the whole workspace.
 */
export async function listAudit(ctx: CallerCtx, page: ListRange & AuditFilter): Promise<AuditRow[]> {
  if (ctx.actor.domainIds) throw forbidden("This API key is restricted to certain domains");
  return select(ctx, eq(auditLog.workspace, ctx.workspace.number), page);
}

/** Returns the audit log of all workspaces and of the platform, newest first; with a filter, of the next 5,000 entries. */
export const listAllAudit = (ctx: Ctx, page: ListRange & AuditFilter): Promise<AuditRow[]> =>
  select(ctx, undefined, page);

function select(
  ctx: Ctx,
  where: SQL | undefined,
  { after, limit, userId, kind, before }: ListRange & AuditFilter,
): Promise<AuditRow[]> {
  const below = [after, before === undefined ? undefined : idOfTime(before, "")].filter((id) => id !== undefined);
  const isFiltered = Boolean(userId || kind);
  const page = orm(ctx)
    .select(getTableColumns(auditLog))
    .from(auditLog)
    .where(and(where, ...below.map((id) => lt(auditLog.id, id))))
    .orderBy(desc(auditLog.id))
    .limit(isFiltered ? MAX_SCANNED : limit);
  if (!isFiltered) return page;
  const scanned = page.as("scanned");
  const matches = [userId ? eq(scanned.userId, userId) : undefined, kind ? eq(scanned.targetKind, kind) : undefined];
  return orm(ctx)
    .select()
    .from(scanned)
    .where(and(...matches))
    .limit(limit);
}
