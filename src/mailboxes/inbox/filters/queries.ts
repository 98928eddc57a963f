import type { CallerCtx } from "../../../access/caller.ts";
import { mayForwardSql } from "../../forwarding-rules/index.ts";
import type { Filter } from "../../mailbox-store/index.ts";

const FIND = `SELECT value AS key FROM json_each(?2) WHERE ${mayForwardSql("?1", "value")}`;

/** Returns the keys of the addresses to which these filters may forward. No D1 call when they forward nothing. */
export async function findConfirmed(ctx: CallerCtx, filters: readonly Filter[]): Promise<Set<string>> {
  const { number } = ctx.workspace;
  const keys = filters.flatMap(({ actions }) =>
    actions.flatMap((action) => (action.type === "forward" && action.workspace === number ? [action.key] : [])),
  );
  if (keys.length === 0) return new Set();
  const list = JSON.stringify([...new Set(keys)]);
  const { results } = await ctx.db.prepare(FIND).bind(number, list).all<{ key: string }>();
  return new Set(results.map(({ key }) => key));
}
