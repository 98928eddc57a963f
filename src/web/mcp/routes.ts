import type { Context } from "hono";
import { Hono } from "hono";
import { dispatcher } from "../../http/dispatch.ts";
import type { AppEnv } from "../../http/env.ts";
import { jsonBody } from "../../http/json-body.ts";
import { needs } from "../../http/needs.ts";
import { requireRight } from "../../http/require-right.ts";
import { forbidden } from "../../lib/errors.ts";
import { calledTool, handleMcp } from "./server.ts";

/** Longest string of a message, in UTF-16 units: the html or text of an email. */
const MAX_STRING = 5_000_000;

/**
 * Returns the route of the MCP server. A tool calls an endpoint of `app` with the credential of the request, so that
 * scopes, validation, limits and idempotency are those of the API. The protocol describes it: it is not in OpenAPI.
 */
export function mcpRoutes(app: { fetch: Hono<AppEnv>["fetch"] }) {
  return new Hono<AppEnv>().post(
    "/mcp",
    needs("any"),
    jsonBody({ kind: "record", maxString: MAX_STRING }),
    async (c) => {
      refuseForeignOrigin(c);
      const message: unknown = await c.req.json();
      const tool = calledTool(message);
      // Here, since the protocol asks for an HTTP status, and a tool responds after that was sent.
      if (tool) requireRight(c.get("caller").actor, tool.route, c.get("routes"));
      return handleMcp(c.req.raw, message, dispatcher(c, app));
    },
  );
}

const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Throws 403 for a request of a page of another origin. The Host header does not count: a page whose name is rebound to
 * this address sends its own (MCP, Streamable HTTP, security warning). Session cookies were checked with the credential.
 */
function refuseForeignOrigin(c: Context<AppEnv>): void {
  const origin = c.req.header("Origin");
  const { actor, settings } = c.get("caller");
  if (origin === undefined || actor.kind === "session") return;
  const own = new URL(settings.publicUrl);
  const isLocal = (url: URL) => LOOPBACK_HOSTS.includes(url.hostname);
  if (origin === own.origin || (isLocal(own) && URL.canParse(origin) && isLocal(new URL(origin)))) return;
  throw forbidden("Requests from pages of other origins are refused");
}
