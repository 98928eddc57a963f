import { Hono } from "hono";
import type { AppEnv } from "../../http/env.ts";
import { needs } from "../../http/needs.ts";
import { respondPage } from "../../http/page.tsx";
import { confirmPage, donePage, invalidLinkPage } from "./page.tsx";
import { unsubscribe } from "./unsubscribe.ts";

/** One-click unsubscribe (RFC 8058). The signed token is the only credential. */
export const unsubscribeRoutes = new Hono<AppEnv>()
  .get("/u/:token", needs("public"), (c) => respondPage(c, confirmPage()))
  .post("/u/:token", needs("public"), async (c) => {
    const isDone = await unsubscribe(c.get("ctx"), c.req.param("token"), "one-click");
    return isDone ? respondPage(c, donePage()) : respondPage(c, invalidLinkPage(), { status: 404 });
  });
