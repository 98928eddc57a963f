import type { Context } from "hono";
import { html } from "hono/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { Layout } from "../ui/index.ts";
import type { AppEnv } from "./env.ts";

/** An element of a page, or text that `hono/html` made. */
type Content = ReturnType<typeof html> | ReturnType<typeof Layout>;

interface PageOptions {
  status?: ContentfulStatusCode;
  /** Origins beside this one to which a form of the page may lead, also by a redirect. */
  formTargets?: readonly string[];
}

/**
 * Answers an HTML page: not stored, not indexed, not framed, without scripts and inline styles, without referrer.
 * `element` is a `Layout`.
 */
export function respondPage(
  c: Context<AppEnv>,
  element: Content,
  { status = 200, formTargets = [] }: PageOptions = {},
) {
  const policy = {
    "default-src": "'none'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "form-action": ["'self'", ...formTargets].join(" "),
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
  };
  return c.html(html`<!doctype html>${element}`, status, {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": Object.entries(policy)
      .map((directive) => directive.join(" "))
      .join("; "),
  });
}

/**
 * Answers a page that opens `path` by itself. Browsers send Strict cookies with that request, and not with the one that
 * another site, or a link in an email, has caused.
 */
export function respondRefresh(c: Context<AppEnv>, path: string) {
  return respondPage(
    c,
    <Layout title="One moment" refreshTo={path}>
      <p>
        <a href={path}>Continue</a>
      </p>
    </Layout>,
  );
}
