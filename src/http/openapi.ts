import type { Hono } from "hono";
import { openAPIRouteHandler, resolver } from "hono-openapi";
import { z } from "zod";
import type { AppEnv } from "./env.ts";

const Fault = z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() });
const Problem = z.object({ detail: z.string() });
const Invalid = z.object({ detail: z.array(Fault) });

const problems: Record<number, string> = {
  400: "The request cannot be carried out as it stands",
  403: "Missing scope, restricted account or paused sending",
  404: "No such thing in this workspace",
  409: "In conflict with the state of things",
  413: "Body or attachments too large",
  415: "The body is not declared as JSON",
};

/**
 * The responses of a route for the OpenAPI document: the answer, 401 and 422 that every route has, and the
 * further error statuses it names.
 */
export function responses(status: number, description: string, schema: z.ZodType, errors: readonly number[] = []) {
  const json = (of: z.ZodType) => ({ "application/json": { schema: resolver(of) } });
  const table: Record<string, { description: string; content: ReturnType<typeof json> }> = {
    [status]: { description, content: json(schema) },
    401: { description: "Missing, invalid, revoked or expired credentials", content: json(Problem) },
    422: { description: "The request is not valid", content: json(Invalid) },
  };
  for (const error of errors) table[error] = { description: problems[error] ?? "Error", content: json(Problem) };
  return table;
}

/** The handler of /openapi.json: OpenAPI 3.1 made from the validators that guard the routes. */
export function openApiDocument(app: Hono<AppEnv>) {
  return openAPIRouteHandler(app, {
    documentation: {
      openapi: "3.1.0",
      info: {
        title: "Email delivery service",
        version: "1",
        description: "Sends official mail and says what became of it.",
      },
      servers: [{ url: "/" }],
      components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
      security: [{ bearer: [] }],
    },
    exclude: ["/openapi.json", "/health"],
  });
}
