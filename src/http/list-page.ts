import type { CallerCtx } from "../access/caller.ts";
import type { AppContext } from "./env.ts";

/** A list that a page shows. */
export interface ShownList<Row> {
  /** Path of the page. */
  path: string;
  /** Returns the rows of a page after the one that the URL names, and one row more. */
  read: (caller: CallerCtx, query: { after?: string; limit: number; offset: number }) => Promise<readonly Row[]>;
  /** Returns how a URL names a row. */
  after: (last: Row) => string;
  /** Rows of a page. Default: 100. */
  size?: number;
}

/** Reads the page of a list that the URL of a request names. */
export async function readPage<Row>(c: AppContext, { path, read, after, size = 100 }: ShownList<Row>) {
  const from = c.req.query("after")?.toLowerCase();
  const found = await read(c.get("caller"), { ...(from ? { after: from } : {}), offset: 0, limit: size + 1 });
  return toPage(found, size, path, after);
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
