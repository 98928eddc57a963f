import type { Context } from "hono";
import { z } from "zod";
import type { AppEnv } from "./env.ts";

/** Rows that `page` may skip. SQLite reads every row that OFFSET skips, so deeper pages use a cursor. */
export const MAX_SKIPPED = 10_000;

/** Returns the query parameters `page` (zero-based) and `limit` (from 1 to `max`, `default` when absent). */
export function pageQuery(limit: { default: number; max: number }) {
  return {
    page: integerQuery(wholeNumber.min(0).default(0)),
    limit: integerQuery(wholeNumber.min(1).max(limit.max).default(limit.default)),
  };
}

const wholeNumber = z.number("Must be a whole number in decimal digits").int();

/** Converts decimal digits only: Number() would also accept 0x5, 1e2 and white space. Other text is an issue. */
const integerQuery = (schema: z.ZodDefault<z.ZodNumber>) =>
  z.preprocess((value) => (typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value), schema);

/** Adds an issue for a page that skips more than MAX_SKIPPED rows; for `superRefine` of a query schema. */
export function refuseDeepPages(value: { page: number; limit: number }, context: z.core.$RefinementCtx): void {
  if (value.page * value.limit > MAX_SKIPPED) {
    context.addIssue({
      code: "too_big",
      maximum: MAX_SKIPPED,
      origin: "number",
      path: ["page"],
      message: `page ${value.page} skips more than ${MAX_SKIPPED} rows; use before or after instead`,
      input: value.page,
    });
  }
}

/**
 * Returns the rows of one page and sets the `Link` header of the next page when more rows follow. `found` holds the
 * page and, when there is one, the row after it: query `limit + 1` rows. `cursor` returns the query parameters that
 * continue after the last row of the page, for instance `{ after: row.id }`.
 */
export function onePage<Row>(
  c: Context<AppEnv>,
  found: readonly Row[],
  limit: number,
  cursor: (last: Row) => Record<string, string>,
): Row[] {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (last !== undefined && found.length > limit) setNextLink(c, cursor(last));
  return rows;
}

/**
 * Sets `Link: <…>; rel="next"` (RFC 8288) to the URL of this request with `parameters` in place of its own values.
 * `page` is dropped, since a cursor continues where the page ends. The URL begins with PUBLIC_URL, not with the Host
 * header, which the caller chooses.
 */
export function setNextLink(c: Context<AppEnv>, parameters: Record<string, string>): void {
  const { pathname, searchParams } = new URL(c.req.url);
  searchParams.delete("page");
  for (const [name, value] of Object.entries(parameters)) searchParams.set(name, value);
  c.header("Link", `<${c.get("caller").settings.publicUrl}${pathname}?${searchParams}>; rel="next"`);
}
