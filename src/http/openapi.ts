import type { Hono } from "hono";
import { openAPIRouteHandler, resolver } from "hono-openapi";
import { z } from "zod";
import type { AppEnv } from "./env.ts";

const Fault = z
  .object({
    loc: z
      .array(z.union([z.string(), z.int()]))
      .describe("Location of the value: body, query, path or header, then the names and indexes below it."),
    msg: z.string(),
    type: z.string(),
  })
  .meta({ ref: "Fault" });
const HTTPProblem = z.object({ detail: z.string() }).meta({ ref: "HTTPProblem" });
const ValidationProblem = z.object({ detail: z.array(Fault) }).meta({ ref: "ValidationProblem" });

const rateLimitHeaders = {
  "Retry-After": { description: "Seconds after which to retry.", schema: { type: "integer" } },
  "RateLimit-Policy": {
    description: "The exceeded limit: its name, `q` calls in `w` seconds.",
    schema: { type: "string" },
    example: '"requests";q=600;w=60',
  },
} as const;

const problems: Record<number, string> = {
  400: "The request is well-formed and cannot be processed",
  403: "Missing scope, restricted account or paused sending",
  404: "Not found in this workspace",
  408: "The request body arrived too slowly",
  409: "Conflict with the current state of the resource, or with an earlier use of the Idempotency-Key",
  413: "Body or attachments too large",
  415: "The body is not declared as JSON",
};

const TOO_MANY_REQUESTS = "Too many requests; Retry-After says after how many seconds to try again";

interface Described<Content> {
  description: string;
  headers?: typeof rateLimitHeaders;
  content?: Content;
}

/**
 * Returns the responses of a route for the OpenAPI document: the success (`schema` null: no body), 401, 422 and 429,
 * which every route has, and the statuses in `errors`.
 */
export function responses(
  status: number,
  description: string,
  schema: z.ZodType | null,
  errors: readonly number[] = [],
) {
  const json = (of: z.ZodType) => ({ "application/json": { schema: resolver(of) } });
  const table: Record<string, Described<ReturnType<typeof json>>> = {
    [status]: { description, ...(schema ? { content: json(schema) } : {}) },
    401: { description: "Missing, invalid, revoked or expired credentials", content: json(HTTPProblem) },
    422: { description: "The request is not valid", content: json(ValidationProblem) },
    429: { description: TOO_MANY_REQUESTS, headers: rateLimitHeaders, content: json(HTTPProblem) },
  };
  for (const error of errors) table[error] = { description: problems[error] ?? "Error", content: json(HTTPProblem) };
  return table;
}

/** OpenAPI parameters that no zod schema describes. */
export const parameter = {
  /** Describes a path parameter that is an id. Any value that is not an id of this workspace answers 404. */
  id: (name: string, description: string) =>
    ({ in: "path", name, required: true, description, schema: { type: "string", format: "uuid" } }) as const,
  idempotencyKey: {
    in: "header",
    name: "Idempotency-Key",
    description:
      "The first successful response is stored for 24 hours and replayed to requests with the same key and body.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
} as const;

/** Returns the handler of /openapi.json: OpenAPI 3.1, generated from the schemas that validate the requests. */
export function openApiDocument(app: Hono<AppEnv>) {
  return openAPIRouteHandler(app, {
    documentation: {
      openapi: "3.1.0",
      info: {
        title: "Email delivery service",
        version: "1",
        description: "Sends email and reports the delivery status of every recipient.",
      },
      servers: [{ url: "/" }],
      components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
      security: [{ bearer: [] }],
    },
    exclude: ["/openapi.json", "/health", "/ready", "/t/o/{token}", "/t/c/{token}", "/u/:token"],
    // hono-openapi would add a 400 of another shape for every validator; this API answers 422.
    defaultValidationErrorResponse: false,
  });
}
