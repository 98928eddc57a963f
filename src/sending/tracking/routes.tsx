import type { Context } from "hono";
import { belongsToHost } from "../../domains/hosts/index.ts";
import { type AppEnv, newRoutes } from "../../http/env.ts";
import { needs } from "../../http/needs.ts";
import { respondPage } from "../../http/page.tsx";
import { Layout, TextPage, useTexts } from "../../http/ui/index.ts";
import { fromBase64 } from "../../lib/bytes.ts";
import { notFound } from "../../lib/errors.ts";
import { readBrand } from "../../platform/brands/brand.ts";
import { readClickToken, readOpenToken } from "../../platform/mail-tokens/tracking.ts";
import { checkLink } from "./check-link.ts";
import { enqueueHit } from "./enqueue-hit.ts";
import { toLocation } from "./location.ts";
import type { HitClient } from "./rules.ts";

/** A transparent GIF of one pixel, 43 bytes. */
const PIXEL = fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==");

const PRIVATE_HEADERS = { "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex" };

/**
 * The pixel and the link redirect. They need no credentials. The hit goes to the queue after the response. The pixel makes no database
 * query, a link at most one round trip (check-link.ts). At a host of a customer both make one more, once a minute for each isolate.
 */
export const trackingRoutes = newRoutes()
  .get("/t/o/:token", needs("public"), async (c) => {
    const [ctx, token] = [c.get("ctx"), c.req.param("token")];
    const mail = await readOpenToken(ctx.settings.masterKeys, token);
    if (mail && isGet(c) && (await belongsToHost(ctx, c.get("customHost"), mail)))
      c.executionCtx.waitUntil(enqueueHit(ctx, "open", token, mail, readClient(c)));
    return c.body(PIXEL, 200, {
      ...PRIVATE_HEADERS,
      "Content-Type": "image/gif",
      "Content-Length": String(PIXEL.length),
    });
  })
  .get("/t/c/:token", needs("public"), async (c) => {
    const [ctx, token] = [c.get("ctx"), c.req.param("token")];
    const link = await readClickToken(ctx.settings.masterKeys, token);
    // A foreign host is refused as a forged token is.
    if (!link || !(await belongsToHost(ctx, c.get("customHost"), link))) throw notFound("Link");
    const state = await checkLink(ctx, link);
    if (state !== "active") {
      const brand = await readBrand(ctx, link.workspace);
      if (state === "expired") return respondPage(c, <ExpiredPage url={link.url} />, { brand });
      // It does not name the target.
      return respondPage(c, <TextPage of={(texts) => [texts.blocked, texts.blockedText]} />, { status: 410, brand });
    }
    if (isGet(c)) c.executionCtx.waitUntil(enqueueHit(ctx, "click", token, link, readClient(c)));
    return c.body(null, 302, { ...PRIVATE_HEADERS, Location: toLocation(link.url) });
  });

/** Returns whether a request is a GET. A HEAD request shows the recipient nothing, so it is not a hit. */
const isGet = (c: Context<AppEnv>) => c.req.method === "GET";

function readClient(c: Context<AppEnv>): HitClient {
  const header = (name: string) => c.req.header(name) ?? "";
  return {
    userAgent: header("User-Agent"),
    ip: header("CF-Connecting-IP"),
    purpose: header("Sec-Purpose") || header("Purpose") || header("X-Purpose") || header("X-Moz"),
    network: String(c.req.raw.cf?.asOrganization ?? ""),
  };
}

/** The page of an expired link. It names the target and links to it (docs/contract/tracking.md#tracking-links). */
function ExpiredPage({ url }: { url: string }) {
  const target = toLocation(url);
  const texts = useTexts();
  return (
    <Layout title={texts.expired}>
      <p>{texts.oldLink}</p>
      <p class="url">{target}</p>
      <p>
        <a class="button" href={target} rel="noreferrer nofollow">
          {texts.goOn(new URL(target).host)}
        </a>
      </p>
    </Layout>
  );
}
