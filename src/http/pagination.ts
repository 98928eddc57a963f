import * as z from "zod";
import type { CallerCtx } from "../access/caller.ts";
import { uuidText } from "../lib/id-field.ts";
import type { AppContext } from "./env.ts";

/** Rows that `page` may skip. SQLite reads every row that OFFSET skips, so deeper pages use a cursor. */
const MAX_SKIPPED = 100_000;

/** Returns the query parameters `page` (zero-based) and `limit` (from 1 to `max`, `default` when absent). */
export function pageQuery(limit: { default: number; max: number }) {
  return {
    page: decimal("page", { default: 0, min: 0, max: Number.MAX_SAFE_INTEGER }),
    limit: decimal("limit", { ...limit, min: 1 }),
  };
}

/** Returns the query parameters `limit` (from 1 to `max`, `default` when absent) and `offset` (at most MAX_SKIPPED). */
export function offsetQuery(limit: { default: number; max: number }) {
  return {
    limit: decimal("limit", { ...limit, min: 1 }),
    offset: decimal("offset", { default: 0, min: 0, max: MAX_SKIPPED }),
  };
}

/** A cursor that names no row returns an empty page. */
const anyCursor = z.string().toLowerCase().optional().describe("Cursor from the `Link` header of the previous page.");

/** Query parameters of a list whose pages have numbers or a cursor: at most 500 rows, 100 by default. For `refuseDeepPages`. */
export const pageOrCursorQuery = { ...pageQuery({ default: 100, max: 500 }), after: anyCursor };

/** Query parameters of a list without pages: at most 500 rows, 100 by default. */
export const anyCursorQuery = { limit: pageOrCursorQuery.limit, after: anyCursor };

/** Returns the schema of a cursor that is an id. `name`: its query parameter. */
export function idCursor(name: "before" | "after") {
  const id = uuidText(`${name} must be the value of a Link header`);
  return id.optional().describe("Cursor from the `Link` header of the previous page.");
}

/** Query parameters of a list without pages whose cursor is an id: at most 500 rows, 100 by default. */
export const cursorQuery = {
  limit: pageOrCursorQuery.limit,
  after: idCursor("after"),
};

/** Parses a whole number in decimal digits. `z.coerce.number()` also accepts `0x5`, `1e1`, a blank and surrounding space. */
function decimal(name: string, range: { default: number; min: number; max: number }) {
  const error = `${name} must be a whole number from ${range.min} to ${range.max}`;
  const number = z.int({ error }).min(range.min, { error }).max(range.max, { error });
  return z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value),
    number.default(range.default),
  );
}

/**
 * Returns a check, for `superRefine` of a query schema, that refuses a page which skips more than MAX_SKIPPED rows. The
 * message names `cursor`, the parameter that continues a list at any depth.
 */
export function refusePagesBeyond(cursor: "before" | "after") {
  return (value: { page: number; limit: number }, context: z.core.$RefinementCtx): void => {
    const skipped = value.page * value.limit;
    if (skipped <= MAX_SKIPPED) return;
    context.addIssue({
      code: "too_big",
      maximum: MAX_SKIPPED,
      origin: "number",
      path: ["page"],
      message: `page ${value.page} skips ${skipped} rows; the limit is ${MAX_SKIPPED}. Use ${cursor} to continue`,
      input: value.page,
    });
  };
}

/** Refuses a page that skips more than MAX_SKIPPED rows of a list whose cursor is `after`. */
export const refuseDeepPages = refusePagesBeyond("after");

/**
 * Returns the rows of one page and sets the `Link` header of the next page when more rows follow. `found` holds the
 * page and, when there is one, the row after it: query `limit + 1` rows. `cursor` returns the query parameters that
 * continue after the last row of the page, for instance `{ after: row.id }`.
 */
export function onePage<Row>(
  c: AppContext,
  found: readonly Row[],
  limit: number,
  cursor: (last: Row) => Record<string, string | null>,
): Row[] {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (last !== undefined && found.length > limit) setNextLink(c, cursor(last));
  return rows;
}

/** A list of the API whose pages continue after a row. */
interface List<Query, Row> {
  /** Returns the rows of a query: the page and, when there is one, the row after it. */
  read: (caller: CallerCtx, query: Omit<Query, "page" | "limit"> & { limit: number; offset: number }) => Promise<Row[]>;
  /** Returns the cursor `after` that continues after the last row of the page. */
  after: (last: Row) => string;
  serialize: (row: Row, caller: CallerCtx) => unknown;
}

/** Responds with a page of a list. Its query has `limit`, and perhaps `page` and other fields. */
export async function respondList<Query extends { limit: number; page?: number }, Row>(
  c: AppContext,
  { limit, page = 0, ...filter }: Query,
  { read, after, serialize }: List<Query, Row>,
) {
  const caller = c.get("caller");
  const found = await read(caller, { ...filter, offset: page * limit, limit: limit + 1 });
  return c.json(onePage(c, found, limit, (last) => ({ after: after(last) })).map((row) => serialize(row, caller)));
}

/**
 * Sets `Link: <…>; rel="next"` (RFC 8288) to the URL of this request with `parameters` in place of its own values; null removes one.
 * `page` is dropped, since a cursor continues where the page ends. The URL begins with PUBLIC_URL, not with the Host
 * header, which the caller chooses.
 */
export function setNextLink(c: AppContext, parameters: Record<string, string | null | undefined>): void {
  const { pathname, searchParams } = new URL(c.req.url);
  searchParams.delete("page");
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) searchParams.delete(name);
    else if (value !== undefined) searchParams.set(name, value);
  }
  c.header("Link", `<${c.get("caller").settings.publicUrl}${pathname}?${searchParams}>; rel="next"`);
}
