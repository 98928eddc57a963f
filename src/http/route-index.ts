import type { Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import type { AppEnv } from "./env.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Finds the route of a method and path among the endpoints of an app, without its middleware. */
export class RouteIndex {
  readonly #router = new TrieRouter<string>();

  constructor(app: Hono<AppEnv>) {
    const endpoints = app.routes.filter((route) => route.method !== "ALL");
    for (const name of new Set(endpoints.map((route) => `${route.method} ${route.path}`))) {
      const space = name.indexOf(" ");
      this.#router.add(name.slice(0, space), name.slice(space + 1), name);
    }
  }

  /** Returns `METHOD /path/:as/mounted`, or null. HEAD is served by GET. */
  find(method: string, path: string): string | null {
    const [matches] = this.#router.match(method === "HEAD" ? "GET" : method, path);
    return matches[0]?.[0] ?? null;
  }

  /** Returns the methods that the path has a route for. */
  methodsOf(path: string): string[] {
    return METHODS.filter((method) => this.find(method, path) !== null);
  }
}
