import { AppError } from "../lib/errors.ts";
import type { Middleware } from "./env.ts";
import type { RouteIndex } from "./route-index.ts";

/**
 * Returns the middleware that refuses a method that the path has no route for (docs/contract/requests.md#paths). Throws 405
 * with Allow. It runs before the router, which would take `GET /v1/emails/batch` for an email whose id is "batch". The path of a form,
 * which stays in the browser when the form is refused, leads to the page that the form stands on.
 */
export function methodNotAllowed(routes: () => RouteIndex): Middleware {
  return async (c, next) => {
    const { method, path } = c.req;
    const methods = routes().find(method, path) === null ? routes().methodsOf(path) : [];
    if (methods.length === 0) return next();
    const page = method === "GET" && /^\/(app|mail)\//.test(path) ? pageAbove(routes(), path) : null;
    if (page !== null) return c.redirect(page, 303);
    const Allow = (methods.includes("GET") ? ["HEAD", ...methods] : methods).join(", ");
    throw new AppError(405, "Method not allowed", { headers: { Allow } });
  };
}

function pageAbove(routes: RouteIndex, path: string): string | null {
  const above = path.slice(0, path.lastIndexOf("/"));
  if (above === "") return null;
  return routes.find("GET", above) === null ? pageAbove(routes, above) : above;
}
