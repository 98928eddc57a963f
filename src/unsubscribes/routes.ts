import { Hono } from "hono";
import type { AppEnv } from "../http/env.ts";
import { pageHeaders } from "../http/page.ts";
import { confirmPage, donePage, invalidLinkPage } from "./page.ts";
import { unsubscribe } from "./unsubscribe.ts";

/** One-click unsubscribe (RFC 8058). The signed token is the only credential. */
export const unsubscribeRoutes = new Hono<AppEnv>()
  .get("/u/:token", (c) => c.html(confirmPage(), 200, pageHeaders))
  .post("/u/:token", async (c) => {
    const isDone = await unsubscribe(c.get("ctx"), c.req.param("token"), "one-click");
    return isDone ? c.html(donePage(), 200, pageHeaders) : c.html(invalidLinkPage(), 404, pageHeaders);
  });
