import type { Outliving } from "../access/accounts/outlives.ts";
import type { RequiredScope, Scope } from "../access/accounts/scopes.ts";
import { DECLARED, type Declared } from "./declared.ts";
import type { Middleware } from "./env.ts";

/** The right of a route. One that takes a scope says what it makes that outlives the credential. */
type Right = [scope: Exclude<RequiredScope, Scope>] | [scope: Scope, outliving: Outliving | null];

/** Returns a handler that declares the right of its route. `authenticate` enforces it before any handler runs. */
export const needs = (...[scope, outliving = null]: Right) => declaring({ scope, outliving }, (_c, next) => next());

/** Makes a middleware declare this of each route that has it. */
export const declaring = (declared: Declared, middleware: Middleware): Middleware =>
  Object.assign(middleware, { [DECLARED]: declared });
