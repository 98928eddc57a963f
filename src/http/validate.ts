import { zValidator } from "@hono/zod-validator";
import { validator as describe, uniqueSymbol } from "hono-openapi";
import type { z } from "zod";
import type { CallerCtx } from "../context.ts";
import { type Fault, unprocessable } from "../errors.ts";
import { jsonBody } from "./json-body.ts";
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
) => [streamedBody(openSink), guard("json", schema)] as const;
/** Checks the query string. Unknown parameters are ignored. */
export const query = <Schema extends z.ZodType>(schema: Schema) => guard("query", schema);

/** zod's issues as faults. Shared by routes and by what validates items of a batch; parse with `reportInput`. */
export function toFaults(root: string, issues: readonly z.core.$ZodIssue[]): Fault[] {
  return issues.map((issue) => ({
    loc: [root, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))],
    msg: issue.message,
    type: issue.code === "invalid_type" && issue.input === undefined ? "missing" : issue.code,
  }));
}
