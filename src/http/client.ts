import type { Client } from "../access/sessions/start.ts";
import type { AppContext } from "./env.ts";

/** Returns where a request comes from. Cloudflare sets CF-Connecting-IP and drops one that the client sent. */
export function clientOf(c: AppContext): Client {
  return { ip: c.req.header("CF-Connecting-IP") ?? null, userAgent: c.req.header("User-Agent") ?? null };
}
