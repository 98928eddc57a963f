import { type Context, Hono } from "hono";
import { notFound } from "../errors.ts";
import type { AppEnv } from "../http/env.ts";
import { SCRIPT, SCRIPT_FILE } from "./generated/script.ts";
import { STYLE, STYLE_FILE } from "./style.ts";

/** The files that pages load. */
export const assetRoutes = new Hono<AppEnv>().get("/assets/:file", (c) =>
  c.req.param("file") === SCRIPT_FILE
    ? respondFile(c, SCRIPT, "text/javascript")
    : respondStylesheet(c, STYLE_FILE, STYLE),
);

/** Answers a stylesheet whose name in the path changes with its content, so browsers keep it. Throws 404 for another name. */
export function respondStylesheet(c: Context<AppEnv>, file: string, css: string) {
  if (c.req.param("file") !== file) throw notFound("File");
  return respondFile(c, css, "text/css");
}

const respondFile = (c: Context<AppEnv>, text: string, mediaType: string) =>
  c.body(text, 200, {
    "Content-Type": `${mediaType}; charset=utf-8`,
    "Cache-Control": "public, max-age=31536000, immutable",
  });
