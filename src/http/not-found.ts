import type { Context } from "hono";
import { AppError } from "../errors.ts";
import type { AppEnv } from "./env.ts";
import { onError } from "./errors.ts";
import type { RouteIndex } from "./route-index.ts";

/**
 * What no route serves. The same path with or without its last slash exists: 307 there, so that method and
 * body are kept. The path exists for other methods: 405 with Allow. Else 404.
 */
export function notFound(routes: () => RouteIndex): (c: Context<AppEnv>) => Response {
  return (c) => {
    const methods = routes().methodsOf(c.req.path);
    if (methods.length > 0) {
      const Allow = methods.includes("GET") ? ["HEAD", ...methods].join(", ") : methods.join(", ");
      return onError(new AppError(405, "Method not allowed", { headers: { Allow } }), c);
    }
    if (routes().methodsOf(otherEnd(c.req.path)).length > 0) {
      const url = new URL(c.req.url);
      return c.redirect(otherEnd(url.pathname) + url.search, 307);
    }
    return onError(new AppError(404, "Not found"), c);
  };
}

/** The same path with its last slash, or without it. */
const otherEnd = (path: string) => (path.endsWith("/") ? path.slice(0, -1) : `${path}/`);
