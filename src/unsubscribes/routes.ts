import { Hono } from "hono";
import type { AppEnv } from "../http/env.ts";
import { confirmPage, donePage, invalidLinkPage } from "./page.ts";
import { unsubscribe } from "./unsubscribe.ts";

const headers = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Robots-Tag": "noindex",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
};

/** One-click unsubscribe (RFC 8058). The signed token is the only credential. */
export const unsubscribeRoutes = new Hono<AppEnv>()
  .get("/u/:token", (c) => c.html(confirmPage(), 200, headers))
  .post("/u/:token", async (c) => {
    const isDone = await unsubscribe(c.get("ctx"), c.req.param("token"), "one-click");
    return isDone ? c.html(donePage(), 200, headers) : c.html(invalidLinkPage(), 404, headers);
  });
