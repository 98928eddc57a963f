import { zValidator } from "@hono/zod-validator";
import { validator as describe, uniqueSymbol } from "hono-openapi";
import type { z } from "zod";
import { type Fault, unprocessable } from "../errors.ts";
import { jsonBody } from "./json-body.ts";

/**
 * Guards a route with a zod schema and puts the same schema into the OpenAPI document. Every fault of the
 * request is answered at once, as a 422 in the one shape (decisions 1).
 */
function guard<Schema extends z.ZodType, Target extends "json" | "query" | "param">(target: Target, schema: Schema) {
  const check = zValidator(target, schema, (result) => {
    if (!result.success) throw unprocessable(toFaults(place[target], result.error.issues));
  });
  // The package keeps the description under a symbol that its types do not tell of.
  const description = describe(target, schema) as unknown as { [uniqueSymbol]: object };
  return Object.assign(check, { [uniqueSymbol]: description[uniqueSymbol] });
}

const place = { json: "body", query: "query", param: "path" } as const;

/** Reads and checks a JSON body: two middlewares, to be spread into a route. */
export const body = <Schema extends z.ZodType>(schema: Schema) => [jsonBody, guard("json", schema)] as const;
/** Checks the query string. Unknown parameters are ignored. */
export const query = <Schema extends z.ZodType>(schema: Schema) => guard("query", schema);
/** Checks the parts of the path. */
export const params = <Schema extends z.ZodType>(schema: Schema) => guard("param", schema);

/** zod's issues as faults. Shared by routes and by what validates items of a batch. */
export function toFaults(root: string, issues: readonly z.core.$ZodIssue[]): Fault[] {
  return issues.map((issue) => ({
    loc: [root, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))],
    msg: issue.message,
    type: issue.code === "invalid_type" && issue.input === undefined ? "missing" : issue.code,
  }));
}
