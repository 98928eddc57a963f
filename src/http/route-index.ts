import type { Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import type { AppEnv } from "./env.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The endpoints an app serves, without its middleware: what answers which method at a path. */
export class RouteIndex {
  readonly #router = new TrieRouter<string>();

  constructor(app: Hono<AppEnv>) {
    const endpoints = app.routes.filter((route) => route.method !== "ALL");
    for (const name of new Set(endpoints.map((route) => `${route.method} ${route.path}`))) {
      const space = name.indexOf(" ");
      this.#router.add(name.slice(0, space), name.slice(space + 1), name);
    }
  }

  /** `METHOD /path/:as/mounted`, or null. HEAD is served by GET. */
  find(method: string, path: string): string | null {
    const [matches] = this.#router.match(method === "HEAD" ? "GET" : method, path);
    return matches[0]?.[0] ?? null;
  }

  /** The methods that the path answers to. */
  methodsOf(path: string): string[] {
    return METHODS.filter((method) => this.find(method, path) !== null);
  }
}
