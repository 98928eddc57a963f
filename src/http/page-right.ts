import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./env.ts";
import { formsOfWorkspace } from "./form-page.tsx";
import { pageSession } from "./page-session.ts";
import { requireRequestRate } from "./rate-limit.ts";
import { requireRight } from "./require-right.ts";

type Middleware = MiddlewareHandler<AppEnv>;

/**
 * Returns the middlewares of a dashboard page that does what an API route does, by method and mounted path: they
 * authenticate the session, refuse a form of another workspace, and apply the scope and the rate limit of that route.
 */
export function pageFor(route: string): [Middleware, Middleware, Middleware] {
  return [
    pageSession,
    formsOfWorkspace,
    async (c, next) => {
      const { actor } = c.get("caller");
      requireRight(actor, route, c.get("routes"));
      await requireRequestRate(c.get("ctx"), route, actor);
      return next();
    },
  ];
}
