import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./env.ts";

/**
 * The endpoints that programs in browsers may call from any origin, with their method (RFC 9700 2.6, RFC 8414 3). None of
 * them reads cookies. The authorization endpoint must not be one; `/mcp` refuses foreign origins (MCP, Streamable HTTP).
 */
const OPEN_ENDPOINTS: Readonly<Record<string, "GET" | "POST">> = {
  "/.well-known/oauth-authorization-server": "GET",
  "/.well-known/oauth-protected-resource": "GET",
  "/.well-known/oauth-protected-resource/mcp": "GET",
  "/oauth/register": "POST",
  "/oauth/token": "POST",
  "/oauth/revoke": "POST",
};

/** Headers that clients send: that of JSON bodies, and that of MCP clients. */
const ALLOWED_HEADERS = "Content-Type, MCP-Protocol-Version";
/** How long a browser keeps the response to a preflight, in seconds. */
const MAX_AGE_SECONDS = "86400";

/** Middleware: lets pages of any origin call OPEN_ENDPOINTS, and responds to their preflights (Fetch standard, CORS protocol). */
export const openToOrigins: MiddlewareHandler<AppEnv> = async (c, next) => {
  const method = OPEN_ENDPOINTS[c.req.path];
  if (method === undefined) return next();
  if (c.req.method === "OPTIONS" && c.req.header("Access-Control-Request-Method") !== undefined)
    return c.body(null, 204, {
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Methods": method,
      "Access-Control-Allow-Headers": ALLOWED_HEADERS,
      "Access-Control-Max-Age": MAX_AGE_SECONDS,
    });
  await next();
  c.header("Access-Control-Allow-Origin", "*");
};
