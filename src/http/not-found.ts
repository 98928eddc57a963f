import { AppError } from "../lib/errors.ts";
import { findSetupIssue } from "../platform/settings/setting-issues.ts";
import type { AppContext } from "./env.ts";
import { onError } from "./errors.ts";
import { onPageError } from "./page-errors.tsx";
import { pageSession } from "./page-session.ts";
import type { RouteIndex } from "./route-index.ts";

/**
 * Returns the handler of paths without a route (docs/contract/requests.md#paths): 307 when the path exists with or without its
 * last slash, so that method and body are kept; otherwise 404, which is a page for browsers.
 */
export function notFound(routes: () => RouteIndex): (c: AppContext) => Response | Promise<Response> {
  return (c) => {
    if (routes().methodsOf(toggleTrailingSlash(c.req.path)).length > 0) {
      const url = new URL(c.req.url);
      const location = toggleTrailingSlash(url.pathname) + url.search;
      const detail = `The path ends otherwise: repeat the request at ${location}`;
      return c.json({ detail }, 307, { Location: location });
    }
    const error = new AppError(404, isPageRequest(c) ? "There is no page at this address" : "Not found");
    if (!isPageRequest(c)) return onError(error, c);
    const mayHaveMenu = c.req.method === "GET" && c.req.path.startsWith("/app/");
    return mayHaveMenu ? inFrame(error, c) : onPageError(error, c);
  };
}

/** Returns the page of an error, with the menu of the dashboard for users that are signed in. */
async function inFrame(error: Error, c: AppContext): Promise<Response> {
  await pageSession(c, () => Promise.resolve());
  return onPageError(error, c);
}

/** Turns an error of a route into JSON, or a deployment that is not set up into a page for browsers. */
export const onAppError = (error: Error, c: AppContext): Response | Promise<Response> =>
  isPageRequest(c) && findSetupIssue(c.env, error) !== null ? onPageError(error, c) : onError(error, c);

/** Returns whether the response is for a person: a browser asks for HTML by name, and the API has none. */
const isPageRequest = (c: AppContext): boolean =>
  !c.req.path.startsWith("/v1/") && (c.req.header("Accept") ?? "").includes("text/html");

const toggleTrailingSlash = (path: string) => (path.endsWith("/") ? path.slice(0, -1) : `${path}/`);
