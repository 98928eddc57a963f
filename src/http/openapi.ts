import type { Hono } from "hono";
import { openAPIRouteHandler, resolver } from "hono-openapi";
import { z } from "zod";
import type { AppEnv } from "./env.ts";

const Fault = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])).describe("Where: body, query, path or header, then the way down."),
    msg: z.string(),
    type: z.string(),
  })
  .meta({ ref: "Fault" });
const HTTPProblem = z.object({ detail: z.string() }).meta({ ref: "HTTPProblem" });
const ValidationProblem = z.object({ detail: z.array(Fault) }).meta({ ref: "ValidationProblem" });

const problems: Record<number, string> = {
  400: "The request cannot be carried out as it stands",
  403: "Missing scope, restricted account or paused sending",
  404: "No such thing in this workspace",
  408: "The body came too slowly",
  409: "In conflict with the state of things",
  413: "Body or attachments too large",
  415: "The body is not declared as JSON",
  429: "Too many requests at once; Retry-After says when to come again",
};

/**
 * The responses of a route for the OpenAPI document: the answer (without a schema: no body), 401 and 422 that every
 * route has, and the further error statuses it names.
 */
export function responses(
  status: number,
  description: string,
  schema: z.ZodType | null,
  errors: readonly number[] = [],
) {
  const json = (of: z.ZodType) => ({ "application/json": { schema: resolver(of) } });
  const table: Record<string, { description: string; content?: ReturnType<typeof json> }> = {
    [status]: { description, ...(schema ? { content: json(schema) } : {}) },
    401: { description: "Missing, invalid, revoked or expired credentials", content: json(HTTPProblem) },
    422: { description: "The request is not valid", content: json(ValidationProblem) },
  };
  for (const error of errors) table[error] = { description: problems[error] ?? "Error", content: json(HTTPProblem) };
  return table;
}

/** Parameters of a route that no validator describes. */
export const parameter = {
  /** A part of the path that names a record. What is no id of this workspace's answers 404, whatever it looks like. */
  id: (name: string, description: string) =>
    ({ in: "path", name, required: true, description, schema: { type: "string", format: "uuid" } }) as const,
  idempotencyKey: {
    in: "header",
    name: "Idempotency-Key",
    description: "The first success is kept 24 hours and answered again to a call with the same key and body.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
} as const;

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
    exclude: ["/openapi.json", "/health", "/t/o/{token}", "/t/c/{token}", "/u/:token"],
    // The package would describe a 400 of its own shape for every validator; ours is the 422.
    defaultValidationErrorResponse: false,
  });
}
