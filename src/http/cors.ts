import type { Middleware } from "./env.ts";

interface OpenEndpoint {
  method: "GET" | "POST";
  /** Headers that a client may send. */
  allowed: string;
  /** Headers of the response that a client may read. */
  exposed?: string;
}

const read: OpenEndpoint = { method: "GET", allowed: "Content-Type, MCP-Protocol-Version" };
const write: OpenEndpoint = { ...read, method: "POST" };

/**
 * The endpoints that programs in browsers may call from any origin (RFC 9700 2.6, RFC 8414 3). No response to another origin
 * depends on a cookie: those of OAuth read none, and `/mcp` takes an access token of OAuth from pages of other origins and nothing
 * else (MCP, Streamable HTTP). The authorization endpoint must not be one.
 */
const OPEN_ENDPOINTS: Readonly<Record<string, OpenEndpoint>> = {
  "/.well-known/oauth-authorization-server": read,
  "/.well-known/oauth-protected-resource": read,
  "/.well-known/oauth-protected-resource/mcp": read,
  "/oauth/register": write,
  "/oauth/token": write,
  "/oauth/revoke": write,
  "/mcp": {
    method: "POST",
    allowed:
      "Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-Request-Id",
    // Where to get a token, and when to try again.
    exposed: "WWW-Authenticate, Retry-After, RateLimit-Policy, X-Request-Id",
  },
};

const MAX_AGE_SECONDS = "86400";

/** Middleware: lets pages of any origin call OPEN_ENDPOINTS, and responds to their preflights (Fetch standard, CORS protocol). */
export const openToOrigins: Middleware = async (c, next) => {
  const endpoint = OPEN_ENDPOINTS[c.req.path];
  if (endpoint === undefined) return next();
  if (c.req.method === "OPTIONS" && c.req.header("Access-Control-Request-Method") !== undefined)
    return c.body(null, 204, {
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Methods": endpoint.method,
      "Access-Control-Allow-Headers": endpoint.allowed,
      "Access-Control-Max-Age": MAX_AGE_SECONDS,
    });
  await next();
  c.header("Access-Control-Allow-Origin", "*");
  if (endpoint.exposed !== undefined) c.header("Access-Control-Expose-Headers", endpoint.exposed);
};
