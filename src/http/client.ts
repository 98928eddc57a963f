import type { Context } from "hono";
import type { Client } from "../access/sessions/start.ts";
import type { AppEnv } from "./env.ts";

/** Returns where a request comes from. Cloudflare sets CF-Connecting-IP and drops one that the client sent. */
export function clientOf(c: Context<AppEnv>): Client {
  return { ip: c.req.header("CF-Connecting-IP") ?? null, userAgent: c.req.header("User-Agent") ?? null };
}
