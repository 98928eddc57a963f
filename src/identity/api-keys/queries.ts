import { and, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import type { CallerCtx, ListRange } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { isUuid, parseUuid } from "../../lib/ids.ts";
import { orm } from "../../platform/db/client.ts";
import { apiKeys } from "../../platform/db/schema/main/index.ts";

const { hash: _hash, workspace: _workspace, ...columns } = getTableColumns(apiKeys);

export type ApiKeyRow = Awaited<ReturnType<typeof getApiKey>>;

/**
 * Returns the condition that selects the API keys of the caller's workspace that its credential may see. A key that is
 * restricted to domains sees those restricted to the same domains or fewer.
 */
function visibleToCaller({ actor: { domainIds }, workspace }: CallerCtx): SQL | undefined {
  const permitted = JSON.stringify([...(domainIds ?? [])]);
  const isWithin =
    domainIds &&
    sql`${apiKeys.domainIds} IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM json_each(${apiKeys.domainIds}) WHERE value NOT IN (SELECT value FROM json_each(${permitted})))`;
  return and(eq(apiKeys.workspace, workspace.number), isWithin ?? undefined);
}

/** Returns one API key of the caller's workspace. Throws 404 for an id that is malformed, unknown or of another workspace. */
export const getApiKey = (ctx: CallerCtx, id: string) => getWhere(ctx, id, eq(apiKeys.workspace, ctx.workspace.number));

/** Returns one API key that the caller may see. Throws 404 as `getApiKey` does, and for a key that the caller may not see. */
export const getVisibleApiKey = (ctx: CallerCtx, id: string) => getWhere(ctx, id, visibleToCaller(ctx));

async function getWhere(ctx: CallerCtx, id: string, where: SQL | undefined) {
  const uuid = requireFound(parseUuid(id), "API key");
  const [row] = await orm(ctx)
    .select(columns)
    .from(apiKeys)
    .where(and(where, eq(apiKeys.id, uuid)));
  return requireFound(row, "API key");
}

/** Returns the API keys that the caller may see, newest first, revoked and expired ones included; `after` continues after this id. */
export function listApiKeys(
  ctx: CallerCtx,
  { after, offset, limit }: ListRange & { offset: number },
): Promise<ApiKeyRow[]> {
  return orm(ctx)
    .select(columns)
    .from(apiKeys)
    .where(and(visibleToCaller(ctx), after === undefined ? undefined : lt(apiKeys.id, after)))
    .orderBy(desc(apiKeys.id))
    .limit(limit)
    .offset(offset);
}

/** Returns those of the ids that are domains of the caller's workspace. */
export async function findDomainIds(ctx: CallerCtx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  // Only UUIDs are bound: D1 accepts parameters of at most 2,000,000 bytes.
  const uuids = ids.filter(isUuid);
  if (uuids.length === 0) return new Set();
  const sql = "SELECT id FROM domains WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2))";
  const results = await ctx.db.listRows<{ id: string }>(sql, ctx.workspace.number, JSON.stringify(uuids));
  return new Set(results.map(({ id }) => id));
}
