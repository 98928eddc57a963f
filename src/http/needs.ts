import type { MiddlewareHandler } from "hono";
import { findTargetHandler } from "hono/utils/handler";
import type { RequiredScope } from "../access/accounts/index.ts";
import type { AppEnv } from "./env.ts";

const SCOPE = Symbol("scope");

/** Returns a handler that declares the scope of its route. `authenticate` enforces the scope before any handler runs. */
export const needs = (scope: RequiredScope) => declaring(scope, (_c, next) => next());

/** Makes a middleware declare the scope of each route that has it. */
export function declaring(scope: RequiredScope, middleware: MiddlewareHandler<AppEnv>): MiddlewareHandler<AppEnv> {
  return Object.assign(middleware, { [SCOPE]: scope });
}

/** Returns the scope that a handler declares. Undefined for a handler that declares none. */
export function declaredScope(handler: Parameters<typeof findTargetHandler>[0]): RequiredScope | undefined {
  return (findTargetHandler(handler) as { [SCOPE]?: RequiredScope })[SCOPE];
}
