import { zValidator } from "@hono/zod-validator";
import { validator } from "hono/validator";
import { validator as describe, uniqueSymbol } from "hono-openapi";
import * as z from "zod";
import type { CallerCtx } from "../access/caller.ts";
import { badRequest, MAX_VALIDATION_ERRORS, tooLarge, unprocessable, type ValidationError } from "../lib/errors.ts";
import { OversizedString } from "../lib/json-extract/content.ts";
import { type AttachmentSink, jsonBody } from "./json-body.ts";
import { InvalidItem } from "./json-errors.ts";
import { findLongList } from "./list-sizes.ts";

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
        throw unprocessable(toValidationErrors(locationOf[target], result.error.issues, result.data));
      const error = target === "json" ? findOversized(result.data) : null;
      if (error) throw unprocessable([{ ...error, loc: ["body", ...error.loc] }]);
    },
    // The type of this option is bound to one concrete schema; a generic function does not match it.
    { validationFunction: parseWithInput as never },
  );
  return described(check, target, schema);
}

/** Attaches `schema` to a middleware as its OpenAPI description. */
function described<Check extends object>(check: Check, target: keyof typeof locationOf, schema: z.ZodType) {
  // hono-openapi stores the description under a symbol that is missing in its types.
  const description = describe(target, schema) as unknown as { [uniqueSymbol]: object };
  return Object.assign(check, { [uniqueSymbol]: description[uniqueSymbol] });
}

/** Parses with `reportInput`, which tells a missing value from a value of the wrong type. Throws 422 for a list that is too long. */
function parseWithInput(schema: z.ZodType, value: unknown) {
  const long = findLongList(schema, value);
  if (long) throw unprocessable([{ ...long, loc: ["body", ...long.loc] }]);
  return schema.safeParseAsync(value, { reportInput: true });
}

/** Returns the two middlewares that read and validate a JSON body. */
export const body = <Schema extends z.ZodType>(schema: Schema) =>
  [jsonBody({ kind: "record" }), validated("json", schema)] as const;
/** Returns the same for a body that may be missing, when every field is optional. */
export const optionalBody = <Schema extends z.ZodType>(schema: Schema) =>
  [jsonBody({ kind: "record", isOptional: true }), validated("json", schema)] as const;
/**
 * Returns the same for a body whose strings may have up to `maxString` characters, for long texts that D1 stores. A longer one in a
 * field of `contents` is a 413, as is a content whose fields together are too long; in any other field it is a 422.
 */
export const bodyWithLongTexts = <Schema extends z.ZodType>(
  schema: Schema,
  maxString: number,
  contents: readonly string[] = [],
) => [jsonBody({ kind: "record", maxString }), validated("json", schema, contents)] as const;
/**
 * Returns the same for a body with attachments, up to 40 MB. Attachment contents, in their field `contentField`, go to the
 * sink of `openSink`.
 */
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
  [jsonBody({ kind: "list" }), validatedItems(item, maxItems)] as const;
/** Returns the middleware that validates the query string. Unknown parameters are ignored. */
export const query = <Schema extends z.ZodType>(schema: Schema) => validated("query", schema);

type Item<Schema extends z.ZodType> = { input: z.output<Schema> } | { errors: ValidationError[] };

function validatedItems<Schema extends z.ZodType>(item: Schema, maxItems: number) {
  const check = validator("json", (body: unknown) => parseItems(item, maxItems, body));
  return described(check, "json", z.array(item).min(1).max(maxItems));
}

/**
 * Validates each item of a list of 1 to `maxItems` on its own. Throws 422 when `body` is not a list, 400 when it is empty or
 * too long.
 */
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
    const error = findOversized(result.data);
    return error ? { errors: [{ ...error, loc: ["body", index, ...error.loc] }] } : { input: result.data };
  }
  const errors = toValidationErrors("body", result.error.issues, value);
  return {
    errors: errors.map(({ loc: [root = "body", ...rest], ...error }) => ({ loc: [root, index, ...rest], ...error })),
  };
}

/**
 * Converts zod issues of `value` to errors, at most MAX_VALIDATION_ERRORS. The schema must have been parsed with `reportInput`.
 */
export function toValidationErrors(
  root: string,
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
): ValidationError[] {
  return issues.slice(0, MAX_VALIDATION_ERRORS).map((issue) => {
    const loc = [root, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
    if (issue.input instanceof OversizedString) return { ...tooLong(issue.input), loc };
    // A union is a value that may also be an extracted content.
    const code = issue.code === "invalid_union" ? "invalid_type" : issue.code;
    const isMissing = code === "invalid_type" && issue.input === undefined;
    return {
      loc,
      msg: isMissing && issue.path.length > 0 ? missingMessage(issue.path, value) : issue.message,
      type: isMissing ? "missing" : code,
    };
  });
}

/**
 * Finds a string that was too long to be read, in a valid value: a field that takes any JSON, such as the metadata of a
 * contact, accepts the OversizedString in its place.
 */
function findOversized(value: unknown): ValidationError | null {
  if (typeof value !== "object" || value === null) return null;
  if (value instanceof OversizedString) return tooLong(value);
  for (const key in value) {
    const error = findOversized((value as Record<string, unknown>)[key]);
    if (error) return { ...error, loc: [Array.isArray(value) ? Number(key) : key, ...error.loc] };
  }
  return null;
}

/** Throws 413 for a content that was too long to be read. */
function requireContentSizes(contents: readonly string[], value: unknown): void {
  for (const field of contents) {
    const content = Object(value)[field] as unknown;
    if (!(content instanceof OversizedString)) continue;
    const [size, limit] = [content.size, content.limit].map((bytes) => bytes.toLocaleString("en"));
    throw tooLarge(`${field} is ${size} bytes; the limit is ${limit}`);
  }
}

function tooLong({ size, limit }: OversizedString): ValidationError {
  return { loc: [], msg: `The string is ${size} bytes; the limit is ${limit}`, type: "too_long" };
}

/** Fields of a request that are compared with the name of a missing one. */
const MAX_COMPARED = 100;

/** Returns the sentence for a missing field. Names a field of the request that differs only in case or punctuation. */
function missingMessage(path: readonly PropertyKey[], value: unknown): string {
  const name = String(path.at(-1));
  let parent = value;
  for (const part of path.slice(0, -1)) parent = Object(parent)[part] as unknown;
  const keys = Object.keys(Object(parent));
  const similar = keys.slice(0, MAX_COMPARED).find((key) => key !== name && lettersOf(key) === lettersOf(name));
  return similar === undefined ? `${name} is required` : `\`${name}\` is required; the request has \`${similar}\``;
}

const lettersOf = (key: string) => key.toLowerCase().replace(/[^a-z0-9]/g, "");
