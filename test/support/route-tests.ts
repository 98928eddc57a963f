import type { RequiredScope } from "../../src/access/accounts/scopes.ts";
import { app } from "../../src/app.ts";
import { RouteIndex } from "../../src/http/route-index.ts";
import type { apiWith } from "./workspace.ts";

/** Returns every endpoint of the app as `METHOD /path/:parameter`. */
export function mountedRoutes(): string[] {
  const endpoints = app.routes.filter(({ method }) => method !== "ALL");
  return [...new Set(endpoints.map(({ method, path }) => `${method} ${path}`))];
}

/** The routes of the app with their scopes. */
export const routes = new RouteIndex(app);

/** The scope that each route declares, by `METHOD /path/:parameter`. */
export const routeScopes: Readonly<Record<string, RequiredScope>> = Object.fromEntries(routes.scopes);

/** Returns whether a route refuses tokens of OAuth, whatever their scopes. */
export const isDeniedToOauth = (route: string): boolean => routes.outlivingOf(route)?.when === null;

/** Path parameters by name. */
export type PathIds = Readonly<Record<string, string>>;

/** Calls a route by its `METHOD /path/:parameter`. Missing parameters are random UUIDs. */
export function callRoute(
  api: ReturnType<typeof apiWith>,
  route: string,
  ids: PathIds,
  body?: unknown,
  headers?: Record<string, string>,
) {
  const [method = "", path = ""] = route.split(" ");
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => ids[name] ?? crypto.randomUUID());
  return api.call(method, filled, method === "GET" ? undefined : body, headers);
}
