import { Hono } from "hono";
import { notFound } from "../errors.ts";
import type { AppEnv } from "../http/env.ts";
import { STYLE, STYLE_FILE } from "./style.ts";

/** The files that pages load. */
export const assetRoutes = new Hono<AppEnv>().get("/assets/:file", (c) => {
  if (c.req.param("file") !== STYLE_FILE) throw notFound("File");
  return c.body(STYLE, 200, {
    "Content-Type": "text/css; charset=utf-8",
    "Cache-Control": "public, max-age=31536000, immutable",
  });
});
