import { zValidator } from "@hono/zod-validator";
import { validator } from "hono/validator";
import { validator as describe, uniqueSymbol } from "hono-openapi";
import * as z from "zod";
import type { CallerCtx } from "../access/caller.ts";
import { lettersOf } from "../lib/close-names.ts";
import { badRequest, MAX_VALIDATION_ERRORS, tooLarge, unprocessable, type ValidationError } from "../lib/errors.ts";
import { OversizedString } from "../lib/json-extract/content.ts";
import { DEFAULT_STRING } from "../lib/json-extract/extract.ts";
import type { AttachmentSink } from "./body-stream.ts";
import type { Middleware } from "./env.ts";
import { jsonBody } from "./json-body.ts";
import { InvalidItem } from "./json-errors.ts";
import { findLongList } from "./list-sizes.ts";
import { longestString } from "./string-limits.ts";

const locationOf = { json: "body", query: "query" } as const;

/**
 * Returns the middleware that validates a request with a zod schema and adds the schema to the OpenAPI document. Throws one 422
 * that lists all errors (docs/contract/errors.md#bodies-of-errors).
 */
function validated<Schema extends z.ZodType, Target extends keyof typeof locationOf>(
  target: Target,
  schema: Schema,
  contents: readonly string[] = [],
) {
  const check = zValidator(
    target,
    schema,
    (result) => {
      if (!result.success) requireContentSizes(contents, result.data);
      if (!result.success)
        throw unprocessable(toValidationErrors(locationOf[target], result.error.issues, result.data, schema));
      const long = target === "json" ? findOversized(result.data) : null;
      if (long) throw unprocessable([tooLong(long, ["body"], schema)]);
    },
    // The type of this option is bound to one concrete schema; a generic function does not match it.
    { validationFunction: parseWithInput as never },
  );
  return described(check, target, schema);
}

/** Attaches `schema` to a middleware, also as its OpenAPI description. */
function described<Check extends object>(check: Check, target: keyof typeof locationOf, schema: z.ZodType) {
  // hono-openapi stores the description under a symbol that is missing in its types.
  const description = describe(target, schema) as unknown as { [uniqueSymbol]: object };
  return Object.assign(check, { [uniqueSymbol]: description[uniqueSymbol], schema });
}

/** Returns the schema of a body that a route declares by it, or by the two middlewares that read and validate it. */
export function bodySchemaOf(body: z.ZodType | readonly [Middleware, object] | undefined): z.ZodType | null {
  if (body === undefined || "parse" in body) return body ?? null;
  return "schema" in body[1] ? (body[1].schema as z.ZodType) : null;
}

/** Parses with `reportInput`, which tells a missing value from a value of the wrong type. Throws 422 for a list that is too long. */
function parseWithInput(schema: z.ZodType, value: unknown) {
  const long = findLongList(schema, value);
  if (long) throw unprocessable([{ ...long, loc: ["body", ...long.loc] }]);
  return schema.safeParseAsync(value, { reportInput: true });
}

/** Returns the two middlewares that read and validate a JSON body. */
export const body = <Schema extends z.ZodType>(schema: Schema) =>
  [jsonBody({ kind: "record", maxString: boundOf(schema) }), validated("json", schema)] as const;
/** Returns the same for a body that may be missing, when every field is optional. */
export const optionalBody = <Schema extends z.ZodType>(schema: Schema) =>
  [jsonBody({ kind: "record", isOptional: true, maxString: boundOf(schema) }), validated("json", schema)] as const;
/**
 * Returns the same for a body with long texts that D1 stores, in the fields `contents`. One that is too long is a 413, as is a content
 * whose fields together are too long; in any other field it is a 422.
 */
export const bodyWithLongTexts = <Schema extends z.ZodType>(schema: Schema, contents: readonly string[]) =>
  [jsonBody({ kind: "record", maxString: boundOf(schema) }), validated("json", schema, contents)] as const;
/** Returns the same for a body with attachments, up to 40 MB. Their contents, in the field `contentField`, go to the sink of `openSink`. */
export const bodyWithAttachments = <Schema extends z.ZodType>(
  schema: Schema,
  openSink: (caller: CallerCtx) => AttachmentSink,
  contentField?: string,
) => [jsonBody({ kind: "record", openSink, contentField }), validated("json", schema)] as const;
/**
 * Returns the same for a list of 1 to `maxItems` items. Each item is validated on its own and becomes its value or its
 * errors. Throws 422 when the body is not a list, 400 when it is empty or too long.
 */
export const listWithAttachments = <Schema extends z.ZodType>(
  item: Schema,
  maxItems: number,
  openSink: (caller: CallerCtx) => AttachmentSink,
  contentField?: string,
) => [jsonBody({ kind: "list", openSink, contentField }), validatedItems(item, maxItems)] as const;
/** Returns the same for a list of items without attachments. */
export const list = <Schema extends z.ZodType>(item: Schema, maxItems: number) =>
  [jsonBody({ kind: "list", maxString: boundOf(item) }), validatedItems(item, maxItems)] as const;

/**
 * Returns the function that bounds the strings of a body by the longest that its schema allows, so that no field is refused before the
 * schema has seen it. Fields that state less, such as metadata, share the default. It is computed for the first body above 64 KiB: a Worker
 * starts without it.
 */
function boundOf(schema: z.ZodType): () => number {
  let bound: number | null = null;
  return () => {
    bound ??= Math.max(DEFAULT_STRING, longestString(schema));
    return bound;
  };
}

/** Returns the middleware that validates the query string. Unknown parameters are ignored. */
export const query = <Schema extends z.ZodType>(schema: Schema) => validated("query", schema);

type Item<Schema extends z.ZodType> = { input: z.output<Schema> } | { errors: ValidationError[] };

function validatedItems<Schema extends z.ZodType>(item: Schema, maxItems: number) {
  const check = validator("json", (body: unknown) => parseItems(item, maxItems, body));
  return described(check, "json", z.array(item).min(1).max(maxItems));
}

/** Validates each item of a list of 1 to `maxItems` on its own. Throws 422 when `body` is not a list, 400 when it is empty or too long. */
export function parseItems<Schema extends z.ZodType>(item: Schema, maxItems: number, body: unknown): Item<Schema>[] {
  const { success, data: items, error } = z.array(z.unknown()).safeParse(body, { reportInput: true });
  if (!success) throw unprocessable(toValidationErrors("body", error.issues, body));
  if (items.length < 1 || items.length > maxItems)
    throw badRequest(`The body has ${items.length} items; it must have 1 to ${maxItems}`);
  return items.map((value, index) => toItem(item, value, index));
}

function toItem<Schema extends z.ZodType>(schema: Schema, value: unknown, index: number): Item<Schema> {
  if (value instanceof InvalidItem) return { errors: [value.error] };
  const long = findLongList(schema, value);
  if (long) return { errors: [{ ...long, loc: ["body", index, ...long.loc] }] };
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) {
    const long = findOversized(result.data);
    return long ? { errors: [tooLong(long, ["body", index], schema)] } : { input: result.data };
  }
  const errors = toValidationErrors("body", result.error.issues, value, schema);
  return {
    errors: errors.map(({ loc: [root = "body", ...rest], ...error }) => ({ loc: [root, index, ...rest], ...error })),
  };
}

/**
 * Converts zod issues of `value` to errors, at most MAX_VALIDATION_ERRORS. The value must have been parsed with `reportInput`, one that a
 * route has read by `schema`.
 */
export function toValidationErrors(
  root: string,
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  schema?: z.ZodType,
): ValidationError[] {
  return issues.slice(0, MAX_VALIDATION_ERRORS).map((issue) => {
    const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
    // A union does not report the errors of its forms.
    const isUnion = issue.code === "invalid_union";
    const long = isUnion || issue.input instanceof OversizedString ? findOversized(issue.input) : null;
    if (long) return tooLong({ ...long, path: [...path, ...long.path] }, [root], schema);
    // A union is a value that may also be an extracted content.
    const code = isUnion ? "invalid_type" : issue.code;
    const isMissing = code === "invalid_type" && issue.input === undefined;
    return {
      loc: [root, ...path],
      msg: isMissing && issue.path.length > 0 ? missingMessage(issue.path, value, issue.message) : issue.message,
      type: isMissing ? "missing" : code,
    };
  });
}

/** Finds a string that was too long to be read, in a value that is valid with the OversizedString in its place: a field of any JSON. */
function findOversized(value: unknown): Oversized | null {
  if (typeof value !== "object" || value === null) return null;
  if (value instanceof OversizedString) return { path: [], string: value };
  for (const key in value) {
    const found = findOversized((value as Record<string, unknown>)[key]);
    if (found) return { ...found, path: [Array.isArray(value) ? Number(key) : key, ...found.path] };
  }
  return null;
}

/** A string that was too long to be read, and its place in the value. */
type Oversized = { path: ValidationError["loc"]; string: OversizedString };

/** Throws 413 for a content that was too long to be read. */
function requireContentSizes(contents: readonly string[], value: unknown): void {
  for (const field of contents) {
    const content = Object(value)[field] as unknown;
    if (!(content instanceof OversizedString)) continue;
    const [size, limit] = [content.size, content.limit].map((bytes) => bytes.toLocaleString("en"));
    throw tooLarge(`${field} is ${size} bytes; the limit is ${limit}`);
  }
}

/** Returns the error of a string, with the limit of its field by `schema`, or that of the reader when it states none. */
function tooLong({ path, string }: Oversized, root: ValidationError["loc"], schema?: z.ZodType): ValidationError {
  const limit = (schema && longestString(schema, path)) || string.limit;
  return {
    loc: [...root, ...path],
    msg: `The string is ${string.size} bytes; the limit is ${limit}`,
    type: "too_long",
  };
}

/** Fields of a request that are compared with the name of a missing one. */
const MAX_COMPARED = 100;

/** Returns the sentence for a missing field. Names a field that differs only in case or punctuation, with the form of `message`. */
function missingMessage(path: readonly PropertyKey[], value: unknown, message: string): string {
  const name = String(path.at(-1));
  let parent = value;
  for (const part of path.slice(0, -1)) parent = Object(parent)[part] as unknown;
  const keys = Object.keys(Object(parent));
  const similar = keys.slice(0, MAX_COMPARED).find((key) => key !== name && lettersOf(key) === lettersOf(name));
  if (similar === undefined) return `${name} is required`;
  const form = message.startsWith("Expected ") ? `. ${message}` : "";
  return `\`${name}\` is required; the request has \`${similar}\`${form}`;
}
