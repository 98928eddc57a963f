import { findTargetHandler } from "hono/utils/handler";
import type { ZodType } from "zod";
import type { RequiredScope } from "../access/accounts/scopes.ts";
import type { Middleware } from "./env.ts";

const SCOPE = Symbol("scope");
const RESPONSE = Symbol("response");

/** Returns a handler that declares the scope of its route. `authenticate` enforces the scope before any handler runs. */
export const needs = (scope: RequiredScope) => declaring(scope, (_c, next) => next());

/** Makes a middleware declare the scope of each route that has it, and the schema of its success if that has a JSON body. */
export function declaring(scope: RequiredScope, middleware: Middleware, response: ZodType | null = null): Middleware {
  return Object.assign(middleware, { [SCOPE]: scope, [RESPONSE]: response });
}

/** Returns the scope that a handler declares. Undefined for a handler that declares none. */
export function declaredScope(handler: Parameters<typeof findTargetHandler>[0]): RequiredScope | undefined {
  return (findTargetHandler(handler) as { [SCOPE]?: RequiredScope })[SCOPE];
}

/** Returns the schema of a success that a handler declares. Null for a body that is not JSON, and for none. */
export function declaredResponse(handler: Parameters<typeof findTargetHandler>[0]): ZodType | null {
  return (findTargetHandler(handler) as { [RESPONSE]?: ZodType | null })[RESPONSE] ?? null;
}
