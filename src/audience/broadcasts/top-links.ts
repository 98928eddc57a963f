import type { CallerCtx } from "../../access/caller.ts";
import { parseUuid } from "../../lib/ids.ts";
import { BROADCAST_NUMBER, getBroadcast } from "./queries.ts";
import type { TopLinksOut } from "./report-schema.ts";

const FIND = `
  SELECT url, clicks, sum(clicks) OVER () AS total FROM broadcast_clicks WHERE broadcast = ${BROADCAST_NUMBER} AND clicks > 0
   ORDER BY clicks DESC, url LIMIT ?3`;

/** Returns the links of a broadcast that people clicked most (docs/contract/broadcasts.md#top-links). Throws 404. */
export async function getTopLinks(ctx: CallerCtx, id: string, limit: number): Promise<TopLinksOut> {
  const values = [ctx.workspace.number, parseUuid(id) ?? "", limit];
  const links = ctx.mail.listRows<{ url: string; clicks: number; total: number }>(FIND, ...values);
  const [results] = await Promise.all([links, getBroadcast(ctx, id)]);
  const top = results[0]?.clicks ?? 1;
  return {
    total_clicks: results[0]?.total ?? 0,
    links: results.map(({ url, clicks }) => ({ url, clicks, pct_of_top: Math.round((clicks * 100) / top) })),
  };
}
