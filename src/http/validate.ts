import type { MiddlewareHandler } from "hono";
import { validator as describe, uniqueSymbol } from "hono-openapi";
import type { z } from "zod";
import { type Fault, unprocessable } from "../errors.ts";
import type { AppEnv } from "./env.ts";
import { jsonBody } from "./json-body.ts";

/** What a guarded route may ask for by `c.req.valid(target)`. */
interface Checked<Target extends string, Schema extends z.ZodType> {
  in: { [T in Target]: z.input<Schema> };
  out: { [T in Target]: z.output<Schema> };
}

const place = { json: "body", query: "query" } as const;

/**
 * Guards a route with a zod schema and puts the same schema into the OpenAPI document. Every fault of the
 * request is answered at once, as a 422 in the one shape (decisions 1).
 */
function guard<Schema extends z.ZodType, Target extends keyof typeof place>(target: Target, schema: Schema) {
  const check: MiddlewareHandler<AppEnv, string, Checked<Target, Schema>> = async (c, next) => {
    const value = target === "json" ? await c.req.json() : single(c.req.queries());
    // With the input, an issue tells a value that is missing from one of the wrong type.
    const result = await schema.safeParseAsync(value, { reportInput: true });
    if (!result.success) throw unprocessable(toFaults(place[target], result.error.issues));
    c.req.addValidatedData(target, result.data as object);
    await next();
  };
  // The package keeps the description under a symbol that its types do not tell of.
  const description = describe(target, schema) as unknown as { [uniqueSymbol]: object };
  return Object.assign(check, { [uniqueSymbol]: description[uniqueSymbol] });
}

/** Reads and checks a JSON body: two middlewares, to be spread into a route. */
export const body = <Schema extends z.ZodType>(schema: Schema) => [jsonBody, guard("json", schema)] as const;
/** Checks the query string. Unknown parameters are ignored. */
export const query = <Schema extends z.ZodType>(schema: Schema) => guard("query", schema);

/** A parameter that is given once is its text; one given several times is a list, which no schema of ours takes. */
function single(queries: Record<string, string[]>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? "")]),
  );
}

/** zod's issues as faults. Shared by routes and by what validates items of a batch; parse with `reportInput`. */
export function toFaults(root: string, issues: readonly z.core.$ZodIssue[]): Fault[] {
  return issues.map((issue) => ({
    loc: [root, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))],
    msg: issue.message,
    type: issue.code === "invalid_type" && issue.input === undefined ? "missing" : issue.code,
  }));
}
