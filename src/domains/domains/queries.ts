import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { CallerCtx, ListRange } from "../../access/caller.ts";
import { visibleTo } from "../../access/visible-rows.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { orm } from "../../platform/db/client.ts";
import { customHosts, dkimKeys, domains } from "../../platform/db/schema/main/index.ts";

export type DomainRow = typeof domains.$inferSelect;
type HostRow = typeof customHosts.$inferSelect;
export type DkimKeyRow = typeof dkimKeys.$inferSelect;

/** A domain with its DKIM keys, oldest first, and its hosts. */
export interface DomainWithKeys {
  domain: DomainRow;
  keys: DkimKeyRow[];
  hosts: HostRow[];
}

const columns = { workspace: domains.workspace, domainId: domains.id };

/** Returns one domain of the caller's workspace. Throws 404, also for a domain outside those that the API key is restricted to. */
export async function getDomain(ctx: CallerCtx, id: string): Promise<DomainRow> {
  return (await getDomainWithKeys(ctx, id)).domain;
}

/** Returns one domain with its DKIM keys, in one D1 batch. Throws 404 as `getDomain` does. */
export async function getDomainWithKeys(ctx: CallerCtx, id: string): Promise<DomainWithKeys> {
  const uuid = requireFound(parseUuid(id), "Domain");
  const [found] = await select(ctx, and(visibleTo(ctx, columns), eq(domains.id, uuid)), { offset: 0, limit: 1 });
  return requireFound(found, "Domain");
}

/** Returns a domain of any workspace with its keys, or null. */
export async function findDomainWithKeys(ctx: Pick<Ctx, "db">, id: string): Promise<DomainWithKeys | null> {
  const [found] = await selectWithKeys(ctx, eq(domains.id, id), { offset: 0, limit: 1, orderBy: domains.name });
  return found ?? null;
}

/** Returns domains of the caller's workspace with their keys, in order of name: one domain, or those after a name. */
export function listDomains(
  ctx: CallerCtx,
  { name, after, ...range }: ListRange & { name?: string; offset: number },
): Promise<DomainWithKeys[]> {
  const filters = [
    name === undefined ? undefined : eq(domains.name, name),
    after === undefined ? undefined : gt(domains.name, after),
  ];
  return select(ctx, and(visibleTo(ctx, columns), ...filters), range);
}

/** Returns at most `limit` domains of the caller's workspace whose name contains a text. It reads the domains of the workspace. */
export async function findDomains(ctx: CallerCtx, text: string, limit: number): Promise<DomainRow[]> {
  const isFound = sql`instr(${domains.name}, ${text.toLowerCase()}) > 0`;
  const found = await select(ctx, and(visibleTo(ctx, columns), isFound), { offset: 0, limit });
  return found.map(({ domain }) => domain);
}

function select(ctx: CallerCtx, where: SQL | undefined, range: { offset: number; limit: number }) {
  return selectWithKeys(ctx, where, { ...range, orderBy: domains.name });
}

type Range = { offset: number; limit: number; orderBy: (typeof domains)["name" | "nextCheckAt" | "nextRotationAt"] };

/** Returns domains with their keys and hosts, in one D1 batch. */
export async function selectWithKeys(
  ctx: Pick<Ctx, "db">,
  where: SQL | undefined,
  { offset, limit, orderBy }: Range,
): Promise<DomainWithKeys[]> {
  const db = orm(ctx);
  const selected = db.select().from(domains).where(where).orderBy(orderBy).limit(limit).offset(offset);
  const ids = db.select({ id: domains.id }).from(domains).where(where).orderBy(orderBy).limit(limit).offset(offset);
  const [rows, keys, hosts] = await db.batch([
    selected,
    db.select().from(dkimKeys).where(sql`${dkimKeys.domainId} IN ${ids}`).orderBy(dkimKeys.id),
    db.select().from(customHosts).where(sql`${customHosts.domainId} IN ${ids}`),
  ]);
  const keysOf = Map.groupBy(keys, ({ domainId }) => domainId);
  const hostsOf = Map.groupBy(hosts, ({ domainId }) => domainId);
  return rows.map((domain) => ({ domain, keys: keysOf.get(domain.id) ?? [], hosts: hostsOf.get(domain.id) ?? [] }));
}
