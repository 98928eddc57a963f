import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type * as z from "zod";
import { AppError, unprocessable } from "../lib/errors.ts";
import { ChangedMeanwhileError, type FormValues } from "../lib/form-version.ts";
import { ConcurrencyError } from "../platform/db/batch.ts";
import type { AppEnv } from "./env.ts";
import { inPageWords } from "./page-words.ts";
import { toValidationErrors } from "./validate.ts";

/** Why a form was refused: what its page shows beside the values that were filled in. */
export interface Refusal {
  status: ContentfulStatusCode;
  message: string;
  /** By the name of the field. */
  errors: ReadonlyMap<string, string>;
  /** Pages of what stops the request. */
  links?: readonly { href: string; label: string }[];
  /** Values that were stored meanwhile, by label, and their version, with which the form can be submitted again. */
  stored?: FormValues;
  version?: string;
}

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

/** Returns the field of a form that the location of an error names. `settings` groups fields in the API only. */
const fieldOf = ([place, name, inside]: readonly (string | number)[]) =>
  String((name === "settings" ? inside : name) ?? place);

/** Validates the fields of a form by the schema of the API call. Throws 422. */
export function parseFields<Schema extends z.ZodType>(schema: Schema, fields: unknown): z.output<Schema> {
  const result = schema.safeParse(fields, { reportInput: true });
  if (!result.success) throw unprocessable(toValidationErrors("body", result.error.issues, fields));
  return result.data;
}

/**
 * Runs what a form asks for and leads to the path that it returns. A refusal is shown by `show`. A Response is returned as
 * it is.
 */
export async function submitForm(
  c: Context<AppEnv>,
  run: () => Promise<string | Response>,
  show: (refusal: Refusal) => Response | Promise<Response>,
): Promise<Response> {
  try {
    const result = await run();
    return typeof result === "string" ? c.redirect(result, 303) : result;
  } catch (error) {
    return show(toRefusal(error));
  }
}

/** Returns a field of a form, or null when it is absent or empty. */
export const textOf = (form: URLSearchParams, name: string): string | null => form.get(name) || null;
