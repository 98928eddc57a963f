import { zValidator } from "@hono/zod-validator";
import { validator } from "hono/validator";
import { validator as describe, uniqueSymbol } from "hono-openapi";
import { z } from "zod";
import type { CallerCtx } from "../context.ts";
import { badRequest, type Fault, MAX_FAULTS, unprocessable } from "../errors.ts";
import { jsonBody, UnreadableItem } from "./json-body.ts";
import { type AttachmentSink, streamedBody } from "./streamed-body.ts";

const place = { json: "body", query: "query" } as const;

/**
 * Guards a route with a zod schema and puts the same schema into the OpenAPI document. Every fault of the
 * request is answered at once, as a 422 in the one shape (decisions 1).
 */
function guard<Schema extends z.ZodType, Target extends keyof typeof place>(target: Target, schema: Schema) {
  const check = zValidator(
    target,
    schema,
    (result) => {
      if (!result.success) throw unprocessable(toFaults(place[target], result.error.issues));
    },
    // Its type asks for a result bound to this very schema, which a function for all schemas cannot state.
    { validationFunction: parseWithInput as never },
  );
  return described(check, target, schema);
}

/** The middleware, with `schema` as what the OpenAPI document says of it. */
function described<Check extends object>(check: Check, target: keyof typeof place, schema: z.ZodType) {
  // The package keeps the description under a symbol that its types do not tell of.
  const description = describe(target, schema) as unknown as { [uniqueSymbol]: object };
  return Object.assign(check, { [uniqueSymbol]: description[uniqueSymbol] });
}

/** With the input, an issue tells a value that is missing from one of the wrong type. */
const parseWithInput = (schema: z.ZodType, value: unknown) => schema.safeParseAsync(value, { reportInput: true });

/** Reads and checks a JSON body: two middlewares, to be spread into a route. */
export const body = <Schema extends z.ZodType>(schema: Schema) => [jsonBody, guard("json", schema)] as const;
/** The same for a route that takes attachments: bodies of up to 40 MB, contents on their way to `openSink`'s sink. */
export const bodyWithAttachments = <Schema extends z.ZodType>(
  schema: Schema,
  openSink: (caller: CallerCtx) => AttachmentSink,
) => [streamedBody(openSink, "record"), guard("json", schema)] as const;
/**
 * The same for a list of 1 to `most` items that are judged one by one: each is its value or its faults. 422 for what is
 * no list, 400 for none or too many.
 */
export const listWithAttachments = <Schema extends z.ZodType>(
  item: Schema,
  most: number,
  openSink: (caller: CallerCtx) => AttachmentSink,
) => [streamedBody(openSink, "list"), guardItems(item, most)] as const;
/** Checks the query string. Unknown parameters are ignored. */
export const query = <Schema extends z.ZodType>(schema: Schema) => guard("query", schema);

type Item<Schema extends z.ZodType> = { input: z.output<Schema> } | { faults: Fault[] };

function guardItems<Schema extends z.ZodType>(item: Schema, most: number) {
  const check = validator("json", (body: unknown): Item<Schema>[] => {
    const { success, data: items, error } = z.array(z.unknown()).safeParse(body, { reportInput: true });
    if (!success) throw unprocessable(toFaults("body", error.issues));
    if (items.length < 1 || items.length > most) throw badRequest(`A call takes 1 to ${most} items`);
    return items.map((value, index) => toItem(item, value, index));
  });
  return described(check, "json", z.array(item).min(1).max(most));
}

function toItem<Schema extends z.ZodType>(schema: Schema, value: unknown, index: number): Item<Schema> {
  if (value instanceof UnreadableItem) return { faults: [value.fault] };
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { input: result.data };
  const faults = toFaults("body", result.error.issues.slice(0, MAX_FAULTS));
  return {
    faults: faults.map(({ loc: [root = "body", ...rest], ...fault }) => ({ loc: [root, index, ...rest], ...fault })),
  };
}

/** zod's issues as faults. Shared by routes and by what validates items of a batch; parse with `reportInput`. */
export function toFaults(root: string, issues: readonly z.core.$ZodIssue[]): Fault[] {
  return issues.map((issue) => ({
    loc: [root, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))],
    msg: issue.message,
    type: issue.code === "invalid_type" && issue.input === undefined ? "missing" : issue.code,
  }));
}
