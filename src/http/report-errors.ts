import { AppError, RequestTooLargeError, type ValidationError } from "../lib/errors.ts";
import type { Middleware } from "./env.ts";

/**
 * Returns the middleware that returns 200 with `toBody(errors)` where the rest of the route returns 400, 413 or 422 for its
 * body. Malformed JSON and a body beyond the limit of every route keep their status (docs/contract/emails.md#validation).
 */
export function reportErrors(toBody: (errors: ValidationError[]) => object): Middleware {
  return async (c, next) => {
    await next();
    const errors = errorsOf(c.error);
    if (!errors) return;
    c.error = undefined;
    // Hono merges the headers of the old response into a new one unless it is removed first.
    c.res = undefined;
    c.res = c.json(toBody(errors), 200);
  };
}

function errorsOf(error: unknown): ValidationError[] | null {
  if (!(error instanceof AppError) || error instanceof RequestTooLargeError) return null;
  if (![400, 413, 422].includes(error.status)) return null;
  if (typeof error.detail === "string") return [{ loc: ["body"], msg: error.detail, type: "value_error" }];
  return error.detail.some(({ type }) => type === "json_invalid") ? null : error.detail;
}
