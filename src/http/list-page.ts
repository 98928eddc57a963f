import type { Context } from "hono";
import type { AppEnv } from "./env.ts";

/** Returns what a list is asked for: the rows of a page after the one that the URL names, and one row more. */
export function pageQuery(c: Context<AppEnv>, size: number): { after?: string; limit: number } {
  const after = c.req.query("after")?.toLowerCase();
  return { ...(after ? { after } : {}), limit: size + 1 };
}

/** Returns the rows of a page, and the URL of the next one; null on the last page. `afterOf` returns how a URL names a row. */
export function toPage<Row>(
  found: readonly Row[],
  size: number,
  path: string,
  afterOf: (last: Row) => string,
): { rows: Row[]; next: string | null } {
  const rows = found.slice(0, size);
  const last = found.length > size ? rows.at(-1) : undefined;
  return { rows, next: last === undefined ? null : `${path}?${new URLSearchParams({ after: afterOf(last) })}` };
}
