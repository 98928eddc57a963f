import type { Context } from "hono";
import { AppError } from "../errors.ts";
import type { AppEnv } from "./env.ts";
import { onError } from "./errors.ts";
import type { RouteIndex } from "./route-index.ts";

/**
 * Returns the handler of paths without a route (decisions 1): 307 when the path exists with or without its last slash,
 * so that method and body are kept; otherwise 404.
 */
export function notFound(routes: () => RouteIndex): (c: Context<AppEnv>) => Response {
  return (c) => {
    if (routes().methodsOf(toggleTrailingSlash(c.req.path)).length > 0) {
      const url = new URL(c.req.url);
      return c.redirect(toggleTrailingSlash(url.pathname) + url.search, 307);
    }
    return onError(new AppError(404, "Not found"), c);
  };
}

/** Adds the last slash of a path, or removes it. */
const toggleTrailingSlash = (path: string) => (path.endsWith("/") ? path.slice(0, -1) : `${path}/`);
