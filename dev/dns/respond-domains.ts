import { sql } from "drizzle-orm";
import { toDomain } from "../../src/domains/domains/index.ts";
import { selectWithKeys } from "../../src/domains/domains/queries.ts";
import { createContext } from "../../src/platform/create-context.ts";
import { domains } from "../../src/platform/db/schema/main/index.ts";
import { SHOP } from "../example/shop.ts";

const MAX_LIMIT = 500;
// Ids are in the order of their time. Test domains are left out: the zone of the DNS API has their records, and they receive nothing.
const FIND_IDS = "SELECT id FROM domains WHERE NOT is_sandbox ORDER BY id DESC LIMIT ?1 OFFSET ?2";

/**
 * Responds with a page (`limit`, `page`) of the domains of all workspaces as the API shows them, newest first. For the local DNS server
 * and for the mail that the egress hands over.
 */
export async function respondDomains(request: Request, env: Env): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const limit = Math.min(Number(searchParams.get("limit") ?? MAX_LIMIT), MAX_LIMIT);
  const ctx = createContext(env, "dev");
  const { results } = await ctx.db
    .prepare(FIND_IDS)
    .bind(limit, limit * Number(searchParams.get("page")))
    .all<{ id: string }>();
  const ids = JSON.stringify(results.map(({ id }) => id));
  const isFound = sql`${domains.id} IN (SELECT value FROM json_each(${ids}))`;
  const found = await selectWithKeys(ctx, isFound, { offset: 0, limit, orderBy: domains.name });
  const shown = found.map((row) => toDomain(ctx.settings, row)).sort((a, b) => (a.id < b.id ? 1 : -1));
  return Response.json(shown.map((domain) => (domain.name === SHOP.domain ? withoutPolicy(domain) : domain)));
}

/** Leaves out the records of MTA-STS: no host on this machine serves the policy by HTTPS, and an alert would say so in the example shop. */
const withoutPolicy = (domain: ReturnType<typeof toDomain>) => ({
  ...domain,
  records: domain.records.filter(({ purpose }) => !/mta_sts/.test(purpose)),
});
