import type { Hono } from "hono";
import type { Scope } from "../../access/accounts/scopes.ts";
import { dispatcher } from "../../http/dispatch.ts";
import { type AppContext, type AppEnv, type Middleware, newRoutes } from "../../http/env.ts";
import { jsonBody } from "../../http/json-body.ts";
import { InvalidJsonError } from "../../http/json-errors.ts";
import { needs } from "../../http/needs.ts";
import { missingRight, requireRight } from "../../http/require-right.ts";
import type { RouteIndex } from "../../http/route-index.ts";
import { protectedResourceMetadata } from "../../identity/oauth/index.ts";
import { forbidden, onError } from "../../lib/errors.ts";
import { calledTool, handleMcp } from "./server.ts";
import { type Tool, toTool } from "./tool.ts";
import { tools } from "./tools/index.ts";

/** Longest string of a message, in UTF-16 units: the html or text of an email. The endpoint of a tool has its own limits. */
const MAX_STRING = 5_000_000;

/** Returns the routes of the MCP server and of its metadata. A tool calls an endpoint of `app` with the credential of the request. */
export function mcpRoutes(app: { fetch: Hono<AppEnv>["fetch"] }) {
  /** Made at the first request, since their schemas take some milliseconds. */
  let all: readonly Tool[] | undefined;
  return newRoutes()
    .get("/.well-known/oauth-protected-resource/mcp", needs("public"), (c) =>
      c.json(protectedResourceMetadata(c.get("ctx").settings, "/mcp", toolScopes(c.get("routes")))),
    )
    .post("/mcp", needs("any"), readMessage, async (c) => {
      refuseForeignOrigin(c);
      const message: unknown = await c.req.json();
      const tool = calledTool(message);
      const routes = c.get("routes");
      const { actor } = c.get("caller");
      // Here, since the protocol asks for an HTTP status, and a tool responds after that was sent.
      if (tool) requireRight(actor, tool.route, routes);
      const { serviceName } = c.get("ctx").settings;
      all ??= tools.map((one) => toTool(one, routes.endpointOf(one.route)));
      const usable = all.filter(({ route }) => missingRight(actor, route, routes) === null);
      const request = new Request(c.req.url, { method: "POST", headers: c.req.raw.headers });
      // A range of all types includes both that the package asks for by name (RFC 9110 12.5.1).
      if (/^$|\*\/\*/.test(c.req.header("Accept") ?? ""))
        request.headers.set("Accept", "application/json, text/event-stream");
      return handleMcp(request, message, { tools: usable, serviceName, dispatch: dispatcher(c, app) });
    });
}

const readBody = jsonBody({ kind: "record", maxString: () => MAX_STRING });

/** Reads a message. Responds with a parse error to one that is not JSON (JSON-RPC 2.0, 5.1). */
const readMessage: Middleware = (c, next) =>
  readBody(c, next).catch(
    onError(InvalidJsonError, ({ message }) =>
      c.json({ jsonrpc: "2.0", error: { code: -32700, message }, id: null }, 400),
    ),
  );

/** Returns the scopes that the tools need: all that a client of `/mcp` has a use for. */
function toolScopes(routes: RouteIndex): Scope[] {
  const needed = tools.map(({ route }) => routes.scopeOf(route)).filter((need) => need !== "any");
  return [...new Set(needed as Scope[])];
}

const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Throws 403 for a request of a page of another origin, unless it has an access token of OAuth: a program in a browser got that by the
 * consent of the user, and no other page knows it. An API key is not for browsers, and a session cookie was checked with the credential.
 * The Host header does not count: a page whose name is rebound to this address sends its own (MCP, Streamable HTTP, security warning).
 */
function refuseForeignOrigin(c: AppContext): void {
  const origin = c.req.header("Origin");
  const { actor, settings } = c.get("caller");
  if (origin === undefined || actor.kind === "session" || actor.kind === "oauth") return;
  const own = new URL(settings.publicUrl);
  const isLocal = (url: URL) => LOOPBACK_HOSTS.includes(url.hostname);
  if (origin === own.origin || (isLocal(own) && URL.canParse(origin) && isLocal(new URL(origin)))) return;
  throw forbidden("Requests from pages of other origins need an access token of OAuth");
}
