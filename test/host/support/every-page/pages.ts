import { PUBLIC_PAGES } from "./pages-public.ts";
import { SENDING_PAGES } from "./pages-sending.ts";
import { WEBMAIL_PAGES } from "./pages-webmail.ts";
import { WORKSPACE_PAGES } from "./pages-workspace.ts";
import type { Pages, State, Viewer } from "./state.ts";

/** All pages with their states. test/check/pages.test.ts compares their routes with those of the app. */
export const PAGES: Pages = { ...PUBLIC_PAGES, ...SENDING_PAGES, ...WORKSPACE_PAGES, ...WEBMAIL_PAGES };

/** GET routes that are no pages of ours, by the reason. Those below these prefixes are none either. */
export const NO_PAGES: Readonly<Record<string, readonly string[]>> = {
  "responses for programs": [
    ...[
      "/v1/",
      "/compat/",
      "/.well-known/",
      "/gateway/",
      "/auth/backup/",
      "/health",
      "/ready",
      "/metrics",
      "/openapi.json",
    ],
    ...[
      "/mail/config-v1.1.xml",
      "/mail/profile.mobileconfig",
      "/mail/events/",
      "/robots.txt",
      "/site.webmanifest",
      "/sitemap.xml",
    ],
    "/llms.txt",
  ],
  "redirects and pixels": ["/auth/google", "/auth/google/", "/auth/github", "/auth/github/", "/t/"],
  "content of a mail, as its sender wrote it": [
    ...[
      "/app/emails/:email_id/html",
      "/app/broadcasts/:broadcast_id/html",
      "/app/templates/:template_id/html",
      "/app/automations/:automation_id/steps/:step/html",
    ],
    ...["/mail/:mailbox_id/:folder/:uid/body", "/app/settings/brand/preview", "/w/"],
  ],
  "files to download": [
    ...["/app/emails/:email_id/source", "/app/contacts/:list_id/export", "/app/domains/:domain_id/zone"],
    "/app/contacts/:list_id/contacts/:contact_id/export",
    ...[
      "/forwarded-files/",
      "/i/",
      "/mail/export/",
      "/mail/:mailbox_id/:folder/:uid/raw",
      "/mail/:mailbox_id/:folder/:uid/parts/",
    ],
  ],
};

/** Returns true for a GET route that is no page of ours. */
export const isNoPage = (route: string) =>
  Object.values(NO_PAGES).some((routes) =>
    routes.some((one) => (one.endsWith("/") ? route.startsWith(one) : route === one)),
  );

/** A state of a page with the names that a report and a picture use. */
export interface Look extends State {
  route: string;
  name: string;
  as: Viewer;
}

/** Returns each state of each page. The pages of the dashboard that have no parameter are looked at in an empty workspace too. */
export function allStates(): Look[] {
  return Object.entries(PAGES).flatMap(([route, states]) => {
    const all: [string, State][] = Object.entries(states);
    if (/^\/app(\/[^:]*)?$/.test(route) && !route.startsWith("/app/admin/"))
      all.push(["empty workspace", { as: "newcomer" }]);
    return all.map(([name, state]) => ({ as: viewerOf(route), ...state, route, name }));
  });
}

function viewerOf(route: string): Viewer {
  if (route.startsWith("/app/admin/")) return "administrator";
  return /^\/(app|mail)(\/|$)/.test(route) ? "owner" : "visitor";
}

/** Returns the path of a state. Throws for an id that was not seeded. */
export function pathOf(
  { route, ids = {}, query = "" }: Look,
  seeded: Readonly<Record<string, string | undefined>>,
): string {
  const of = (name: string) => {
    const value = ids[name] === undefined ? seeded[name] : (seeded[`${name}.${ids[name]}`] ?? ids[name]);
    if (value === undefined) throw new Error(`${route}: no ${name} is seeded`);
    return value;
  };
  const path = route.replace(/:(\w+)(\{[^}]*\})?/g, (_, name: string) => encodeURIComponent(of(name)));
  return path + query.replace(/\{(\w+)\}/g, (_, name: string) => of(name));
}
