import { mountedRoutes } from "../support/route-tests.ts";
import type { RouteCase } from "./route-case.ts";

const dashboard = mountedRoutes().filter((route) => / \/(app(\/|$)|mail\/)/.test(route));

/** The pages of the dashboard and of webmail: without a session, a page leads to the sign-in page and a form is refused. */
export const pageCases: Record<string, RouteCase> = {
  ...Object.fromEntries(dashboard.map((route) => [route, { success: route.startsWith("GET ") ? 303 : 403 }])),
  "GET /mail": { success: 303 },
  "GET /mail/events/:mailbox_id": { success: 403 },
  "GET /mail/sign-in": { success: 200 },
  "POST /mail/sign-in": { success: 422, body: (of) => ({ email: of.mailbox, password: "a wrong password" }) },
  "POST /mail/sign-out": { success: 403 },
  "GET /mail/config-v1.1.xml": { success: 404 },
  "GET /.well-known/autoconfig/mail/config-v1.1.xml": { success: 404 },
  "POST /autodiscover/autodiscover.xml": { success: 404 },
  "GET /mail/profile.mobileconfig": { success: 404 },
  "GET /": { success: 200 },
  "GET /status": { success: 200 },
  "GET /robots.txt": { success: 200 },
  "GET /sitemap.xml": { success: 200 },
  "GET /site.webmanifest": { success: 200 },
  "GET /.well-known/security.txt": { success: 404 },
  "GET /docs": { success: 200 },
  "GET /llms.txt": { success: 200 },
  "GET /docs/:kind{guides|rules}/:file": { success: 404 },
  "GET /docs/:file": { success: 404 },
  "GET /docs/try/:operation": { success: 303 },
  "POST /docs/try/:operation": { success: 403 },
};
