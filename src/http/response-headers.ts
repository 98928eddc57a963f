import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./env.ts";

/** One year, in seconds: browsers reach this host over TLS only (RFC 6797). */
const HSTS = "max-age=31536000";

/**
 * Sets the security headers of every response: `Cache-Control: no-store`, since responses contain customer data,
 * `X-Content-Type-Options: nosniff`, and HSTS when PUBLIC_URL is https. A route may set its own Cache-Control.
 */
export const responseHeaders = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
  c.header("X-Content-Type-Options", "nosniff");
  // Not from the parsed settings: with malformed ones, /health and /ready still respond.
  if (String(c.env.PUBLIC_URL).startsWith("https:")) c.header("Strict-Transport-Security", HSTS);
});
