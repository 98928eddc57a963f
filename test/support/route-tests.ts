import { app } from "../../src/app.ts";
import type { apiWith } from "./workspace.ts";

/** Every endpoint the app serves, `METHOD /path/:as/mounted`. */
export function mountedRoutes(): string[] {
  const endpoints = app.routes.filter(({ method }) => method !== "ALL");
  return [...new Set(endpoints.map(({ method, path }) => `${method} ${path}`))];
}

/** Parameters to put into a path, by name. */
export type PathIds = Readonly<Record<string, string>>;

/** Calls a route by its name in the scope table. */
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
