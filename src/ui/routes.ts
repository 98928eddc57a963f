import { type Context, Hono } from "hono";
import { notFound } from "../errors.ts";
import type { AppEnv } from "../http/env.ts";
import { STYLE, STYLE_FILE } from "./style.ts";

/** The files that pages load. */
export const assetRoutes = new Hono<AppEnv>().get("/assets/:file", (c) => respondStylesheet(c, STYLE_FILE, STYLE));

/** Answers a stylesheet whose name in the path changes with its content, so browsers keep it. Throws 404 for another name. */
export function respondStylesheet(c: Context<AppEnv>, file: string, css: string) {
  if (c.req.param("file") !== file) throw notFound("File");
  return c.body(css, 200, {
    "Content-Type": "text/css; charset=utf-8",
    "Cache-Control": "public, max-age=31536000, immutable",
  });
}
