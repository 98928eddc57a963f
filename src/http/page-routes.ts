import type { ContentfulStatusCode } from "hono/utils/http-status";
import type * as z from "zod";
import type { CallerCtx } from "../access/caller.ts";
import { isProofMissing } from "../access/sessions/reauthentication.ts";
import { AppError, invalidField, unprocessable, unsupportedMediaType } from "../lib/errors.ts";
import { ChangedMeanwhileError } from "../lib/form-version.ts";
import { ConcurrencyError } from "../platform/db/batch.ts";
import { findResponse } from "../platform/idempotency/responses.ts";
import type { AppContext, Middleware } from "./env.ts";
import { isForm, readBytes } from "./fields.ts";
import { formsOfWorkspace } from "./form-page.tsx";
import { isConflict, toIdempotency } from "./idempotency.ts";
import { decode } from "./json-errors.ts";
import { pageSession } from "./page-session.ts";
import { inPageWords } from "./page-words.ts";
import { respondProofNeeded } from "./proof-needed.tsx";
import { requireRequestRate } from "./rate-limit.ts";
import { requireRight } from "./require-right.ts";
import { FORM_PAGE, type Refusal } from "./ui/index.ts";
import { toValidationErrors } from "./validate.ts";

/** Returns the middleware that applies the scope and the rate limit of an API route, by method and mounted path, to a page. */
export function rightOf(route: string): Middleware {
  return async (c, next) => {
    const caller = c.get("caller");
    requireRight(caller.actor, route, c.get("routes"));
    await requireRequestRate(c.get("ctx"), route, caller);
    return next();
  };
}

/**
 * Returns the middlewares of a dashboard page that does what an API route does: they authenticate the session, refuse a form of another
 * workspace, and apply the scope and the rate limit of that route.
 */
export const pageFor = (route: string): [Middleware, Middleware, Middleware] => [
  pageSession,
  formsOfWorkspace,
  rightOf(route),
];

/** Pages of the kinds of blockers. */
const pathsOf: Readonly<Record<string, string>> = {
  domain: "/app/domains/",
  broadcast: "/app/broadcasts/",
  scheduled_email: "/app/emails/",
};

/** Statuses that the page of a form explains. Others, such as 403 and 404, get a page of their own. */
const EXPLAINED = [400, 409, 413, 422, 429, 503];

/** Returns what the page of a form says about an error. Throws errors that it does not explain. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof ConcurrencyError)
    return { status: 409, message: "Another request changed it meanwhile. Try again.", errors: new Map() };
  if (error instanceof ChangedMeanwhileError) {
    const message = `${error.message}. What is stored now is below; save again to replace it with what you have entered.`;
    return { status: 409, message, errors: new Map(), stored: error.stored, version: error.version };
  }
  if (!(error instanceof AppError) || !EXPLAINED.includes(error.status)) throw error;
  const errors = Array.isArray(error.detail)
    ? error.detail.map(({ loc, msg }) => ({ loc, msg: inPageWords(msg) }))
    : [];
  const text = errors.length > 0 ? errors.map(({ msg }) => msg).join("; ") : inPageWords(error.message);
  const blockers = error.extra.blockers ?? [];
  const names = blockers.flatMap(({ kind, label }) => (pathsOf[kind] ? [] : [label])).join(", ");
  return {
    status: error.status as ContentfulStatusCode,
    message: names === "" ? `${text}.` : `${text}: ${names}.`,
    errors: new Map(errors.map(({ loc, msg }) => [fieldOf(loc), msg])),
    links: blockers.flatMap(({ kind, id, label }) => (pathsOf[kind] ? [{ href: pathsOf[kind] + id, label }] : [])),
  };
}

/** Returns the field of a form that the location of an error names. `settings` and what is in it group fields in the API only. */
const fieldOf = (loc: readonly (string | number)[]) => String((loc[1] === "settings" ? loc.at(-1) : loc[1]) ?? loc[0]);

/** Reads a form body of at most `maxBytes`, which a page of the response fills in again. Throws 413, 415, and 422 when it is not UTF-8. */
export async function readForm(c: AppContext, maxBytes?: number): Promise<URLSearchParams> {
  if (!isForm(c)) throw unsupportedMediaType("The body must be application/x-www-form-urlencoded");
  const fields = new URLSearchParams(decode(await readBytes(c, maxBytes)));
  // It was checked already, and is no field of the operation.
  if (c.get("formPage") !== undefined) fields.delete(FORM_PAGE);
  c.set("form", fields);
  return fields;
}

/** Validates the fields of a form by the schema of the API call. Throws 422. */
export function parseFields<Schema extends z.ZodType>(schema: Schema, fields: unknown): z.output<Schema> {
  const result = schema.safeParse(fields, { reportInput: true });
  if (!result.success) throw unprocessable(toValidationErrors("body", result.error.issues, fields));
  return result.data;
}

/** Shows the page of a form, of which `respondPage` says why it was refused. */
export type Show = (c: AppContext) => Response | Promise<Response>;

/** The path that a form leads to, or a page. */
type Result = Promise<string | Response>;

/** Reads a form, of at most `maxBytes`, and runs what it asks for, as `attempt` does. */
export async function submitForm(
  c: AppContext,
  page: Show | { show: Show | undefined; maxBytes?: number | undefined } | undefined,
  run: (fields: URLSearchParams) => Result,
): Promise<Response> {
  const { show, maxBytes = undefined } = typeof page === "object" ? page : { show: page };
  const fields = await readForm(c, maxBytes);
  return attempt(c, show, () => run(fields));
}

/** Runs what a form or a button asks for, and leads to the path that it returns. When it is refused, `show` shows the page again. */
export async function attempt(c: AppContext, show: Show | undefined, run: () => Result): Promise<Response> {
  try {
    const result = await run();
    return typeof result === "string" ? c.redirect(result, 303) : result;
  } catch (error) {
    if (isProofMissing(error)) return respondProofNeeded(c);
    if (show === undefined) throw error;
    c.set("refusal", toRefusal(error));
    return show(c);
  }
}

/**
 * Runs an operation for a form with a hidden Idempotency-Key. A repeated submission, such as a reloaded page, gets the stored response.
 * `fields` is a text that is equal for equal forms only: by default all fields. Throws 422 for a key that the form did not have.
 */
export async function onceForForm<Result>(
  c: AppContext,
  run: (ctx: CallerCtx) => Promise<Result>,
  fields = String(c.get("form")),
  key = c.get("form")?.get("idempotency_key") ?? "",
): Promise<Result> {
  if (key.length < 16 || key.length > 255)
    throw invalidField("idempotency_key", "The form is incomplete; load the page again");
  const caller = c.get("caller");
  const idempotency = await toIdempotency(caller, key, fields, c);
  const replay = async () => {
    const stored = await findResponse(caller, idempotency);
    return stored && (JSON.parse(stored.body) as Result);
  };
  const replayed = await replay();
  if (replayed !== null) return replayed;
  try {
    return await run({ ...caller, idempotency });
  } catch (error) {
    const stored = isConflict(error) ? await replay() : null;
    if (stored === null) throw error;
    return stored;
  }
}

/** Runs a change. Its errors name the fields of the page that `fieldOf` returns; those of one field become one. */
export async function refusedAt<Result>(
  run: () => Promise<Result>,
  fieldOf: (loc: readonly (string | number)[]) => string,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AppError) || !Array.isArray(error.detail)) throw error;
    const messages = new Map<string, string[]>();
    for (const { loc, msg } of error.detail) {
      const field = fieldOf(loc);
      messages.set(field, [...(messages.get(field) ?? []), msg]);
    }
    throw unprocessable(
      [...messages].map(([field, all]) => ({ loc: ["body", field], msg: all.join("; "), type: "value_error" })),
    );
  }
}

/** Returns a field of a form, or null when it is absent or empty. */
export const textOf = (form: URLSearchParams, name: string): string | null => form.get(name) || null;
