import { z } from "zod";

/** OFFSET costs a row read for each row skipped; past this, pages are refused (design: totals and paging). */
export const MAX_SKIPPED = 10_000;

/** `page` (zero-based) and `limit` of a query string, `limit` from 1 to `most`. 422 past 10,000 rows skipped. */
export function pageQuery(limit: { standard: number; most: number }) {
  return {
    page: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(limit.most).default(limit.standard),
  };
}

/** Refuses a page that skips too many rows; for `superRefine` of a query schema. */
export function refuseDeepPages(value: { page: number; limit: number }, context: z.core.$RefinementCtx): void {
  if (value.page * value.limit > MAX_SKIPPED) {
    context.addIssue({
      code: "too_big",
      maximum: MAX_SKIPPED,
      origin: "number",
      path: ["page"],
      message: `Pages reach ${MAX_SKIPPED} rows back; use before or after to go further`,
      input: value.page,
    });
  }
}
