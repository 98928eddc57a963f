import { and, desc, eq, getTableColumns } from "drizzle-orm";
import type { CallerCtx } from "../context.ts";
import { orm } from "../db/client.ts";
import { apiKeys } from "../db/schema/index.ts";
import { notFound } from "../errors.ts";
import { isUuid } from "../lib/ids.ts";

const { hash: _hash, workspace: _workspace, ...columns } = getTableColumns(apiKeys);

export type ApiKeyRow = Awaited<ReturnType<typeof getApiKey>>;

/** One API key of the caller's workspace. Throws 404 for an id that is malformed, unknown or another workspace's. */
export async function getApiKey(ctx: CallerCtx, id: string) {
  if (!isUuid(id)) throw notFound("API key");
  const [row] = await orm(ctx)
    .select(columns)
    .from(apiKeys)
    .where(and(eq(apiKeys.workspace, ctx.workspace.number), eq(apiKeys.id, id)));
  if (!row) throw notFound("API key");
  return row;
}

/** The API keys of the caller's workspace, newest first, ended ones among them. */
export async function listApiKeys(ctx: CallerCtx, { page, limit }: { page: number; limit: number }) {
  return orm(ctx)
    .select(columns)
    .from(apiKeys)
    .where(eq(apiKeys.workspace, ctx.workspace.number))
    .orderBy(desc(apiKeys.id))
    .limit(limit)
    .offset(page * limit);
}

/** Which of these ids are domains of the caller's workspace. */
export async function findDomainIds(ctx: CallerCtx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  // What is no id never reaches the database, which takes parameters of 2,000,000 octets at most.
  const possible = ids.filter(isUuid);
  if (possible.length === 0) return new Set();
  const { results } = await ctx.db
    .prepare("SELECT id FROM domains WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2))")
    .bind(ctx.workspace.number, JSON.stringify(possible))
    .all<{ id: string }>();
  return new Set(results.map(({ id }) => id));
}
