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

/** Condition: domains of the caller's workspace that its credential may see. */
function visible(ctx: CallerCtx): SQL | undefined {
  const { domainIds } = ctx.actor;
  const isPermitted =
    domainIds && sql`${domains.id} IN (SELECT value FROM json_each(${JSON.stringify([...domainIds])}))`;
  return and(eq(domains.workspace, ctx.workspace.number), isPermitted ?? undefined);
}

/**
 * Returns one domain of the caller's workspace. Throws 404 for an id that is malformed, unknown, of another workspace,
 * or outside the domains that the API key is restricted to.
 */
export async function getDomain(ctx: CallerCtx, id: string): Promise<DomainRow> {
  return (await getDomainWithKeys(ctx, id)).domain;
}

/** Returns one domain with its DKIM keys, in one D1 batch. Throws 404 as `getDomain` does. */
export async function getDomainWithKeys(ctx: CallerCtx, id: string): Promise<DomainWithKeys> {
  if (!isUuid(id)) throw notFound("Domain");
  const [found] = await select(ctx, and(visible(ctx), eq(domains.id, id)), { page: 0, limit: 1 });
  if (!found) throw notFound("Domain");
  return found;
}

/** Returns domains of the caller's workspace with their keys, ordered by name; `name` filters to one domain. */
export function listDomains(
  ctx: CallerCtx,
  { name, ...page }: { name?: string; page: number; limit: number },
): Promise<DomainWithKeys[]> {
  return select(ctx, and(visible(ctx), name === undefined ? undefined : eq(domains.name, name)), page);
}

function select(ctx: CallerCtx, where: SQL | undefined, page: { page: number; limit: number }) {
  return selectWithKeys(ctx, where, { ...page, orderBy: domains.name });
}

/** Returns domains with their keys, in one D1 batch. */
export async function selectWithKeys(
  ctx: Pick<Ctx, "db">,
  where: SQL | undefined,
  { page, limit, orderBy }: { page: number; limit: number; orderBy: typeof domains.name | typeof domains.nextCheckAt },
): Promise<DomainWithKeys[]> {
  const db = orm(ctx);
  const selected = db
    .select()
    .from(domains)
    .where(where)
    .orderBy(orderBy)
    .limit(limit)
    .offset(page * limit);
  const ids = db.select({ id: sql`id` }).from(selected.as("selected"));
  const [rows, keys] = await db.batch([
    selected,
    db.select().from(dkimKeys).where(sql`${dkimKeys.domainId} IN ${ids}`).orderBy(dkimKeys.id),
  ]);
  const keysOf = Map.groupBy(keys, ({ domainId }) => domainId);
  return rows.map((domain) => ({ domain, keys: keysOf.get(domain.id) ?? [] }));
}
