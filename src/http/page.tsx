import { html } from "hono/html";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { CallerCtx, ListRange } from "../access/caller.ts";
import { withQuery } from "../lib/with-query.ts";
import type { Brand } from "../platform/brands/brand.ts";
import type { AppContext } from "./env.ts";
import { Layout, LinkLine, logoUrl, TextPage, ViewerContext } from "./ui/index.ts";
import { viewerOf } from "./viewer.ts";

/** An element of a page, or text that `hono/html` made. */
type Content = ReturnType<typeof html> | ReturnType<typeof Layout>;

interface PageOptions {
  /** Default: that of the refusal, or 200. */
  status?: ContentfulStatusCode;
  notice?: Child | undefined;
  /** Texts of such notices by the parameter `done` of the URL. Default: those that `pagesOf` sets. A page that says why a request was refused shows none. */
  notices?: Readonly<Record<string, string>>;
  /** URL of the next page of a list, or null on its last one. */
  next?: string | null;
  /** Default: "Older". */
  nextLabel?: string;
  /** Origins beside this one to which a form of the page may lead, also by a redirect. */
  formTargets?: readonly string[];
  /** True when the page shows a page of this service in a frame. */
  frames?: boolean;
  /** True when the page may load the script of the pages. Default: true for pages of signed-in users. */
  script?: boolean;
  /** For a page of a recipient: the sender, and the address it writes to. */
  brand?: Brand | null;
  address?: string | undefined;
  /** Default: that of its browser. */
  language?: string | undefined;
  isIndexed?: boolean;
}

/**
 * Returns an HTML page: not stored, not framed, without inline scripts and styles, without referrer. Visitors who
 * are not signed in get no script at all. `element` is a layout.
 */
export function respondPage(
  c: AppContext,
  element: Content,
  {
    status = c.get("refusal")?.status ?? 200,
    notice,
    notices = c.get("notices") ?? {},
    next = null,
    nextLabel = "Older",
    formTargets = [],
    frames = false,
    script = c.get("caller") !== undefined,
    isIndexed = false,
    brand = null,
    address,
    language,
  }: PageOptions = {},
) {
  const seen = viewerOf(c);
  const nonce = crypto.randomUUID();
  const recipient = seen.recipient && {
    language: language ?? seen.recipient.language,
    brand: brand ?? undefined,
    address,
    nonce,
  };
  const policy = {
    "default-src": "'none'",
    "style-src": brand?.color ? `'self' 'nonce-${nonce}'` : "'self'",
    // At a host of a customer the logo is still at that of the service.
    "img-src": `'self' data:${brand?.logo ? ` ${logoUrl(seen, brand.logo)}` : ""}`,
    "manifest-src": "'self'",
    ...(script ? { "script-src": "'self'", "connect-src": "'self'" } : {}),
    ...(frames ? { "frame-src": "'self'" } : {}),
    "form-action": ["'self'", ...formTargets].join(" "),
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
  };
  const done = c.get("refusal") ? undefined : (notice ?? notices[c.req.query("done") ?? ""]);
  const viewer = { ...seen, recipient, notice: done, next: next === null ? undefined : { to: next, label: nextLabel } };
  const page = <ViewerContext.Provider value={viewer}>{element}</ViewerContext.Provider>;
  return c.html(html`<!doctype html>${page}`, status, {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    ...(isIndexed ? {} : { "X-Robots-Tag": "noindex" }),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    // A page that a link in a frame opens does not get this window as its opener.
    ...(frames ? { "Cross-Origin-Opener-Policy": "same-origin" } : {}),
    "Content-Security-Policy": Object.entries(policy)
      .map((directive) => directive.join(" "))
      .join("; "),
  });
}

/** Returns the page of a link of a recipient that leads to nothing. */
export const respondBrokenLink = (c: AppContext) =>
  respondPage(c, <TextPage of={({ broken, brokenText }) => [broken, brokenText]} />, { status: 404 });

/** A list that a page shows. */
export interface ShownList<Row> {
  /** Path of the page, with the query of its filter. */
  path: string;
  /** Returns the rows of a page after the one that the URL names, and one row more. */
  read: (caller: CallerCtx, query: ListRange & { offset: number }) => Promise<readonly Row[]>;
  /** Returns how a URL names a row. */
  after: (last: Row) => string;
  /** Rows of a page. Default: 100. */
  size?: number;
}

/** Reads the page of a list that the URL of a request names. */
export async function readPage<Row>(c: AppContext, { path, read, after, size = 100 }: ShownList<Row>) {
  const from = c.req.query("after")?.toLowerCase();
  const found = await read(c.get("caller"), { ...(from ? { after: from } : {}), offset: 0, limit: size + 1 });
  return toPage(found, size, path, after);
}

/** Returns the rows of a page, and the URL of the next one; null on the last page. `afterOf` returns how a URL names a row. */
export function toPage<Row>(found: readonly Row[], size: number, path: string, afterOf: (last: Row) => string) {
  const rows = found.slice(0, size);
  const last = found.length > size ? rows.at(-1) : undefined;
  return { rows, next: last === undefined ? null : withQuery(path, { after: afterOf(last) }) };
}

/** Returns a page that opens `path` by itself: browsers send Strict cookies then, but not when another site or an email caused it. */
export function respondRefresh(c: AppContext, path: string) {
  return respondPage(
    c,
    <Layout title="One moment" refreshTo={path}>
      <LinkLine to={path} label="Continue" />
    </Layout>,
  );
}

/**
 * Returns the HTML of an email, for a sandboxed frame of a page of this service: no script runs, nothing is loaded but the
 * images that the options allow, and its links open in a new tab.
 */
export function respondMailHtml(
  c: AppContext,
  mailHtml: string,
  { ownImages = false, foreignImages = false }: { ownImages?: boolean; foreignImages?: boolean } = {},
) {
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${ownImages ? " 'self'" : ""}${foreignImages ? " https: http:" : ""}`,
    "form-action 'none'",
    "base-uri 'self'",
    "frame-ancestors 'self'",
    // Without the origin of this service, the cookie that its images need is not sent.
    `sandbox allow-popups allow-popups-to-escape-sandbox${ownImages ? " allow-same-origin" : ""}`,
  ];
  const response = c.body(`<base target="_blank">${mailHtml}`, 200, {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Content-Security-Policy": policy.join("; "),
  });
  return ownImages || foreignImages ? response : withoutImages(response);
}

/** Leaves images of other hosts out, which the policy refuses: each would be an error in the console. Their texts stay. */
const withoutImages = (response: Response): Response =>
  new HTMLRewriter()
    .on("img", {
      element(image) {
        if (/^\s*data:/i.test(image.getAttribute("src") ?? "data:")) return;
        image.removeAttribute("src");
        image.removeAttribute("srcset");
      },
    })
    .transform(response);
