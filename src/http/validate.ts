import { zValidator } from "@hono/zod-validator";
import { validator } from "hono/validator";
import { validator as describe, uniqueSymbol } from "hono-openapi";
import { z } from "zod";
import type { CallerCtx } from "../context.ts";
import { badRequest, type Fault, MAX_FAULTS, unprocessable } from "../errors.ts";
import { InvalidItem, jsonBody } from "./json-body.ts";
import { type AttachmentSink, streamedBody } from "./streamed-body.ts";

const locationOf = { json: "body", query: "query" } as const;

/**
 * Returns the middleware that validates a request with a zod schema and adds the schema to the OpenAPI document.
 * Throws one 422 that lists all faults (decisions 1).
 */
function validated<Schema extends z.ZodType, Target extends keyof typeof locationOf>(target: Target, schema: Schema) {
  const check = zValidator(
    target,
    schema,
    (result) => {
      if (!result.success) throw unprocessable(toFaults(locationOf[target], result.error.issues));
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

/** Parses with `reportInput`, which tells a missing value from a value of the wrong type. */
const parseWithInput = (schema: z.ZodType, value: unknown) => schema.safeParseAsync(value, { reportInput: true });

/** Returns the two middlewares that read and validate a JSON body. */
export const body = <Schema extends z.ZodType>(schema: Schema) => [jsonBody, validated("json", schema)] as const;
/** Returns the same for a body with attachments, up to 40 MB. Attachment contents go to the sink of `openSink`. */
export const bodyWithAttachments = <Schema extends z.ZodType>(
  schema: Schema,
  openSink: (caller: CallerCtx) => AttachmentSink,
) => [streamedBody(openSink, "record"), validated("json", schema)] as const;
/**
 * Returns the same for a list of 1 to `maxItems` items. Each item is validated on its own and becomes its value or its
 * faults. Throws 422 when the body is not a list, 400 when it is empty or too long.
 */
export const listWithAttachments = <Schema extends z.ZodType>(
  item: Schema,
  maxItems: number,
  openSink: (caller: CallerCtx) => AttachmentSink,
) => [streamedBody(openSink, "list"), validatedItems(item, maxItems)] as const;
/** Returns the middleware that validates the query string. Unknown parameters are ignored. */
export const query = <Schema extends z.ZodType>(schema: Schema) => validated("query", schema);

type Item<Schema extends z.ZodType> = { input: z.output<Schema> } | { faults: Fault[] };

function validatedItems<Schema extends z.ZodType>(item: Schema, maxItems: number) {
  const check = validator("json", (body: unknown): Item<Schema>[] => {
    const { success, data: items, error } = z.array(z.unknown()).safeParse(body, { reportInput: true });
    if (!success) throw unprocessable(toFaults("body", error.issues));
    if (items.length < 1 || items.length > maxItems)
      throw badRequest(`The body has ${items.length} items; it must have 1 to ${maxItems}`);
    return items.map((value, index) => toItem(item, value, index));
  });
  return described(check, "json", z.array(item).min(1).max(maxItems));
}

function toItem<Schema extends z.ZodType>(schema: Schema, value: unknown, index: number): Item<Schema> {
  if (value instanceof InvalidItem) return { faults: [value.fault] };
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { input: result.data };
  const faults = toFaults("body", result.error.issues.slice(0, MAX_FAULTS));
  return {
    faults: faults.map(({ loc: [root = "body", ...rest], ...fault }) => ({ loc: [root, index, ...rest], ...fault })),
  };
}

/** Converts zod issues to faults. The schema must have been parsed with `reportInput`. */
export function toFaults(root: string, issues: readonly z.core.$ZodIssue[]): Fault[] {
  return issues.map((issue) => ({
    loc: [root, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))],
    msg: issue.message,
    type: issue.code === "invalid_type" && issue.input === undefined ? "missing" : issue.code,
  }));
}
