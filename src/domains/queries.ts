import { and, eq, type SQL, sql } from "drizzle-orm";
import type { CallerCtx, Ctx } from "../context.ts";
import { orm } from "../db/client.ts";
import { dkimKeys, domains } from "../db/schema/index.ts";
import { notFound } from "../errors.ts";
import { isUuid } from "../lib/ids.ts";

export type DomainRow = typeof domains.$inferSelect;
export type DkimKeyRow = typeof dkimKeys.$inferSelect;

/** A domain with its DKIM keys, oldest first. */
export interface DomainWithKeys {
  domain: DomainRow;
  keys: DkimKeyRow[];
}

/** Domains of the caller's workspace that its credential may see. */
function visible(ctx: CallerCtx): SQL | undefined {
  const { domainIds } = ctx.actor;
  const among = domainIds && sql`${domains.id} IN (SELECT value FROM json_each(${JSON.stringify([...domainIds])}))`;
  return and(eq(domains.workspace, ctx.workspace.number), among ?? undefined);
}

/**
 * One domain of the caller's workspace. Throws 404 for an id that is malformed, unknown, another workspace's, or
 * closed to a key that is restricted to other domains.
 */
export async function getDomain(ctx: CallerCtx, id: string): Promise<DomainRow> {
  return (await getDomainWithKeys(ctx, id)).domain;
}

/** The same with its DKIM keys, in one trip. */
export async function getDomainWithKeys(ctx: CallerCtx, id: string): Promise<DomainWithKeys> {
  if (!isUuid(id)) throw notFound("Domain");
  const [found] = await select(ctx, and(visible(ctx), eq(domains.id, id)), { page: 0, limit: 1 });
  if (!found) throw notFound("Domain");
  return found;
}

/** Domains of the caller's workspace with their keys, by name; `name` asks for one. */
export function listDomains(
  ctx: CallerCtx,
  { name, ...page }: { name?: string; page: number; limit: number },
): Promise<DomainWithKeys[]> {
  return select(ctx, and(visible(ctx), name === undefined ? undefined : eq(domains.name, name)), page);
}

function select(ctx: CallerCtx, where: SQL | undefined, page: { page: number; limit: number }) {
  return selectWithKeys(ctx, where, { ...page, by: domains.name });
}

/** Domains with their keys, in one trip. */
export async function selectWithKeys(
  ctx: Pick<Ctx, "db">,
  where: SQL | undefined,
  { page, limit, by }: { page: number; limit: number; by: typeof domains.name | typeof domains.nextCheckAt },
): Promise<DomainWithKeys[]> {
  const db = orm(ctx);
  const wanted = db
    .select()
    .from(domains)
    .where(where)
    .orderBy(by)
    .limit(limit)
    .offset(page * limit);
  const ids = db.select({ id: sql`id` }).from(wanted.as("wanted"));
  const [rows, keys] = await db.batch([
    wanted,
    db.select().from(dkimKeys).where(sql`${dkimKeys.domainId} IN ${ids}`).orderBy(dkimKeys.id),
  ]);
  const keysOf = Map.groupBy(keys, ({ domainId }) => domainId);
  return rows.map((domain) => ({ domain, keys: keysOf.get(domain.id) ?? [] }));
}
