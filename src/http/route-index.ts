import type { Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import type { AppEnv } from "./env.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Finds the route of a method and path among the endpoints of an app, without its middleware. */
export class RouteIndex {
  readonly #router = new TrieRouter<string>();
  /** Routes as `METHOD /path/:as/mounted`. */
  readonly #routes: ReadonlySet<string>;

  constructor(app: Hono<AppEnv>) {
    const endpoints = app.routes.filter((route) => route.method !== "ALL");
    this.#routes = new Set(endpoints.map((route) => `${route.method} ${route.path}`));
    for (const pattern of new Set(endpoints.map((route) => route.path))) this.#router.add("ANY", pattern, pattern);
  }

  /** Returns `METHOD /path/:as/mounted`, or null. HEAD is served by GET. */
  find(method: string, path: string): string | null {
    const route = `${method === "HEAD" ? "GET" : method} ${this.#patternOf(path)}`;
    return this.#routes.has(route) ? route : null;
  }

  /** Returns the methods that the path has a route for. */
  methodsOf(path: string): string[] {
    return METHODS.filter((method) => this.find(method, path) !== null);
  }

  /**
   * Returns the most specific pattern that matches a path, whatever its methods. So /v1/emails/batch is never read as
   * /v1/emails/:email_id, also for methods that only the latter has.
   */
  #patternOf(path: string): string | null {
    const [matches] = this.#router.match("ANY", path);
    const patterns = matches.map(([pattern]) => pattern);
    return patterns.sort((a, b) => (specificity(a) < specificity(b) ? -1 : 1))[0] ?? null;
  }
}

/** Returns a text that sorts patterns of one length: literal segments come before parameters, from the left. */
const specificity = (pattern: string) =>
  pattern
    .split("/")
    .map((segment) => (segment.startsWith(":") ? "1" : "0"))
    .join("");
