import type { Handler, Hono } from "hono";
import { generateSpecs } from "hono-openapi";
import type { RequiredScope } from "../access/accounts/scopes.ts";
import { serviceNameOf } from "../platform/settings/variables.ts";
import type { AppEnv } from "./env.ts";
import { errorExample } from "./error-examples.ts";
import { type Header, pathParameter } from "./openapi.ts";
import { RouteIndex } from "./route-index.ts";

interface Response {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema?: object; example?: unknown }>;
}
interface Operation {
  tags?: string[];
  security?: object[];
  parameters?: { in?: string; name?: string; description?: string }[];
  responses?: Record<string, Response>;
}

const requestId: Header = { description: "Id of the request, also in the log.", schema: { type: "string" } };
const replayed: Header = {
  description: "`true` if the response is a stored one, replayed for the same Idempotency-Key.",
  schema: { type: "string" },
};
const link: Header = {
  description: 'URL of the next page with `rel="next"` (RFC 8288). Absent on the last page.',
  schema: { type: "string" },
};
/** Responses of the router. They concern a path, so every operation of the document lists them. */
const routerResponses = {
  307: {
    description: "Repeat the request at Location.",
    headers: {
      Location: {
        description: "The path with a final slash more or less. `detail` of the body names it too.",
        schema: { type: "string" },
      },
    },
  },
  405: {
    description: "Method not allowed",
    headers: { Allow: { description: "The supported methods.", schema: { type: "string" } } },
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/HTTPProblem" },
        example: { detail: "Method not allowed" },
      },
    },
  },
};

/** Endpoints that others describe: OAuth by its metadata (RFC 8414), MCP by `tools/list`, other services' by their documentation. */
const selfDescribed = [/^\/oauth\//, /^\/\.well-known\//, /^\/mcp$/, /^\/compat\//];

type Document = Awaited<ReturnType<typeof generateSpecs>>;

/** Documents by app. The routes of an app do not change, and generating the document takes tens of milliseconds. */
const documents = new WeakMap<Hono<AppEnv>, Promise<Document>>();

/** Returns the handler of /openapi.json. */
export function openApiDocument(app: Hono<AppEnv>): Handler<AppEnv> {
  return async (c) => {
    const document = await readOpenApi(app);
    return c.json({ ...document, info: { ...document.info, title: serviceNameOf(c.env) } });
  };
}

/** Returns the OpenAPI 3.1 document of an app: the schemas that validate its requests, and what all operations share. */
export function readOpenApi(app: Hono<AppEnv>): Promise<Document> {
  const document = documents.get(app) ?? generate(app);
  documents.set(app, document);
  return document;
}

async function generate(app: Hono<AppEnv>): Promise<Document> {
  const document = await generateSpecs(app, {
    documentation: {
      openapi: "3.1.0",
      info: {
        title: "Email delivery service",
        version: "1",
        description: "Sends email and reports the delivery status of every recipient.",
      },
      servers: [{ url: "/" }],
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer" },
          session: {
            type: "apiKey",
            in: "cookie",
            name: "__Host-session",
            description: "Set by signing in. A call that changes state also needs a same-origin Origin header.",
          },
        },
      },
      security: [{ bearer: [] }, { session: [] }],
    },
    exclude: [
      "/openapi.json",
      "/health",
      "/ready",
      "/metrics",
      "/t/o/{token}",
      "/t/c/{token}",
      "/u/:token",
      "/auth/sign-in",
      "/auth/magic-link/:token",
      "/auth/totp",
      "/invitations/:token",
      "/auth/bootstrap",
      "/auth/operator-session",
      "/auth/operator-sign-in-link",
      "/app",
      "/",
      "/status",
      "/robots.txt",
      "/sitemap.xml",
      "/site.webmanifest",
      /^\/docs/,
      ...selfDescribed,
    ],
    // hono-openapi would add a 400 of another shape for every validator; this API returns 422.
    defaultValidationErrorResponse: false,
  });
  const routes = new RouteIndex(app);
  for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, Operation>>)) {
    for (const [method, operation] of Object.entries(methods))
      complete(operation, path, routes.scopeOf(`${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`));
  }
  return document;
}

/** Credentials of the routes that do not take both kinds. */
const securityOf: Partial<Record<RequiredScope, object[]>> = {
  session: [{ session: [] }],
  platform_admin: [{ session: [] }],
  public: [],
};

/** Adds the path parameters, credentials, responses, headers and examples of errors that every operation of its kind has. */
function complete(operation: Operation, path: string, need: RequiredScope): void {
  if (securityOf[need]) operation.security = securityOf[need];
  const parameters = inOrder(path, operation.parameters ?? []);
  if (parameters.length > 0) operation.parameters = parameters;
  const has = (place: string, name: string) => parameters.some((one) => one.in === place && one.name === name);
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    response.headers = { ...response.headers, "X-Request-Id": requestId };
    if (!status.startsWith("2")) continue;
    if (has("header", "Idempotency-Key")) response.headers["Idempotency-Replayed"] = replayed;
    if (has("query", "limit") || has("query", "since")) response.headers.Link = link;
  }
  operation.responses = { ...operation.responses, ...routerResponses };
  addErrorExamples(operation, need);
}

/** Returns parameters with those of the path first. hono-openapi knows of a path parameter that its route does not describe only its name. */
function inOrder(path: string, parameters: NonNullable<Operation["parameters"]>) {
  const ofPath = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = ""]) => {
    const known = parameters.find((one) => one.in === "path" && one.name === name);
    return known?.description === undefined ? (pathParameter(name) ?? known ?? []) : known;
  });
  return [...ofPath, ...parameters.filter((one) => one.in !== "path")];
}

function addErrorExamples({ tags = [], responses = {} }: Operation, need: RequiredScope): void {
  for (const [status, { content }] of Object.entries(responses)) {
    const json = Number(status) >= 400 ? content?.["application/json"] : undefined;
    if (json) json.example ??= errorExample(Number(status), { tag: tags[0] ?? "", need });
  }
}
