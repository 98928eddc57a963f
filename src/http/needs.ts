import { findTargetHandler } from "hono/utils/handler";
import type { Outliving } from "../access/accounts/outlives.ts";
import type { RequiredScope, Scope } from "../access/accounts/scopes.ts";
import type { Endpoint } from "../lib/api-call.ts";
import type { Middleware } from "./env.ts";

const DECLARED = Symbol("declared");

/** The declaration of one handler of a route. */
export interface Declared {
  scope: RequiredScope;
  /** Outlives the credential, and is made or read by the route. Null: nothing does. */
  outliving: Outliving | null;
  /** Absent: the route is not one of the API. */
  endpoint?: Endpoint;
}

/** The right of a route. One that takes a scope says what it makes that outlives the credential. */
type Right = [scope: Exclude<RequiredScope, Scope>] | [scope: Scope, outliving: Outliving | null];

/** Returns a handler that declares the right of its route. `authenticate` enforces it before any handler runs. */
export const needs = (...[scope, outliving = null]: Right) => declaring({ scope, outliving }, (_c, next) => next());

/** Makes a middleware declare this of each route that has it. */
export const declaring = (declared: Declared, middleware: Middleware): Middleware =>
  Object.assign(middleware, { [DECLARED]: declared });

/** Returns what a handler declares of its route. Undefined for a handler that declares nothing. */
export const declaredBy = (handler: Parameters<typeof findTargetHandler>[0]): Declared | undefined =>
  (findTargetHandler(handler) as { [DECLARED]?: Declared })[DECLARED];
