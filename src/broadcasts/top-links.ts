import type { CallerCtx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import { getBroadcast } from "./queries.ts";
import type { TopLinksOut } from "./report-schema.ts";

const FIND = `
  SELECT url, clicks, sum(clicks) OVER () AS total FROM broadcast_clicks WHERE broadcast = ?1 AND clicks > 0
   ORDER BY clicks DESC, url LIMIT ?2`;

/** Returns the links of a broadcast that people clicked most (specification: Top links). Throws 404. */
export async function getTopLinks(ctx: CallerCtx, id: string, limit: number): Promise<TopLinksOut> {
  const { row } = await getBroadcast(ctx, id);
  const { results } = await mailDb(ctx)
    .prepare(FIND)
    .bind(row.n, limit)
    .all<{ url: string; clicks: number; total: number }>();
  const top = results[0]?.clicks ?? 1;
  return {
    total_clicks: results[0]?.total ?? 0,
    links: results.map(({ url, clicks }) => ({ url, clicks, pct_of_top: Math.round((clicks * 100) / top) })),
  };
}
