import { and, desc, eq, getTableColumns } from "drizzle-orm";
import type { CallerCtx } from "../context.ts";
import { orm } from "../db/client.ts";
import { apiKeys } from "../db/schema/index.ts";
import { notFound } from "../errors.ts";
import { isUuid } from "../lib/ids.ts";

const { hash: _hash, workspace: _workspace, ...columns } = getTableColumns(apiKeys);

export type ApiKeyRow = Awaited<ReturnType<typeof getApiKey>>;

/** Returns one API key of the caller's workspace. Throws 404 for an id that is malformed, unknown or of another workspace. */
export async function getApiKey(ctx: CallerCtx, id: string) {
  if (!isUuid(id)) throw notFound("API key");
  const [row] = await orm(ctx)
    .select(columns)
    .from(apiKeys)
    .where(and(eq(apiKeys.workspace, ctx.workspace.number), eq(apiKeys.id, id)));
  if (!row) throw notFound("API key");
  return row;
}

/** Returns the API keys of the caller's workspace, newest first, revoked and expired ones included. */
export async function listApiKeys(ctx: CallerCtx, { page, limit }: { page: number; limit: number }) {
  return orm(ctx)
    .select(columns)
    .from(apiKeys)
    .where(eq(apiKeys.workspace, ctx.workspace.number))
    .orderBy(desc(apiKeys.id))
    .limit(limit)
    .offset(page * limit);
}

/** Returns those of the ids that are domains of the caller's workspace. */
export async function findDomainIds(ctx: CallerCtx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  // Only UUIDs are bound: D1 accepts parameters of at most 2,000,000 bytes.
  const uuids = ids.filter(isUuid);
  if (uuids.length === 0) return new Set();
  const { results } = await ctx.db
    .prepare("SELECT id FROM domains WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2))")
    .bind(ctx.workspace.number, JSON.stringify(uuids))
    .all<{ id: string }>();
  return new Set(results.map(({ id }) => id));
}
