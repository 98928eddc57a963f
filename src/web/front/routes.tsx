import { newRoutes } from "../../http/env.ts";
import { needs } from "../../http/needs.ts";
import { respondPage } from "../../http/page.tsx";
import { notFound } from "../../lib/errors.ts";
import { readReadiness } from "../../operations/metrics/index.ts";
import { FrontPage } from "./front-page.tsx";
import { robotsText, securityText, toManifest } from "./site-files.ts";
import { StatusPage } from "./status-page.tsx";

const TEXT = { "Content-Type": "text/plain; charset=utf-8" };

/** The pages and files at the root of the service. None needs a session. */
export const frontRoutes = newRoutes()
  .get("/", needs("public"), (c) => respondPage(c, <FrontPage />, { isIndexed: true }))
  .get("/status", needs("public"), async (c) => {
    const state = await readReadiness(c.get("ctx"));
    const status = state.status === "not_ready" ? 503 : 200;
    return respondPage(c, <StatusPage state={state} />, { isIndexed: true, status });
  })
  .get("/robots.txt", needs("public"), (c) => c.body(robotsText(c.get("ctx").settings.publicUrl), 200, TEXT))
  .get("/site.webmanifest", needs("public"), (c) =>
    c.json(toManifest(c.get("ctx").settings.serviceName), 200, { "Content-Type": "application/manifest+json" }),
  )
  .get("/.well-known/security.txt", needs("public"), (c) => {
    const { settings, now } = c.get("ctx");
    if (settings.securityContact === "") throw notFound("File");
    return c.body(securityText(settings, now()), 200, TEXT);
  });
