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
    const url = new URL(c.req.url);
    const methods = routes().methodsOf(url.pathname);
    if (methods.length > 0) {
      const Allow = methods.includes("GET") ? ["HEAD", ...methods].join(", ") : methods.join(", ");
      return onError(new AppError(405, "Method not allowed", { headers: { Allow } }), c);
    }
    const other = url.pathname.endsWith("/") ? url.pathname.slice(0, -1) : `${url.pathname}/`;
    if (routes().methodsOf(other).length > 0) return c.redirect(other + url.search, 307);
    return onError(new AppError(404, "Not found"), c);
  };
}
