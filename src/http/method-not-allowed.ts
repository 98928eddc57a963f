import { AppError } from "../lib/errors.ts";
import type { Middleware } from "./env.ts";
import type { RouteIndex } from "./route-index.ts";

/**
 * Returns the middleware that refuses a method that the path has no route for (docs/contract/requests.md#paths). Throws 405
 * with Allow. It runs before the router, which would take `GET /v1/emails/batch` for an email whose id is "batch".
 */
export function methodNotAllowed(routes: () => RouteIndex): Middleware {
  return async (c, next) => {
    const { method, path } = c.req;
    if (routes().find(method, path) === null) {
      const methods = routes().methodsOf(path);
      const Allow = (methods.includes("GET") ? ["HEAD", ...methods] : methods).join(", ");
      if (methods.length > 0) throw new AppError(405, "Method not allowed", { headers: { Allow } });
    }
    await next();
  };
}
