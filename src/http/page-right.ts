import type { Middleware } from "./env.ts";
import { formsOfWorkspace } from "./form-page.tsx";
import { pageSession } from "./page-session.ts";
import { requireRequestRate } from "./rate-limit.ts";
import { requireRight } from "./require-right.ts";

/** Returns the middleware that applies the scope and the rate limit of an API route, by method and mounted path, to a page. */
export function rightOf(route: string): Middleware {
  return async (c, next) => {
    const { actor } = c.get("caller");
    requireRight(actor, route, c.get("routes"));
    await requireRequestRate(c.get("ctx"), route, actor);
    return next();
  };
}

/**
 * Returns the middlewares of a dashboard page that does what an API route does: they authenticate the session, refuse a form of another
 * workspace, and apply the scope and the rate limit of that route.
 */
export const pageFor = (route: string): [Middleware, Middleware, Middleware] => [
  pageSession,
  formsOfWorkspace,
  rightOf(route),
];
