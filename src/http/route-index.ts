import { TrieRouter } from "hono/router/trie-router";
import type { RouterRoute } from "hono/types";
import type { Outliving } from "../access/accounts/outlives.ts";
import type { RequiredScope } from "../access/accounts/scopes.ts";
import type { Endpoint } from "../lib/api-call.ts";
import { type Declared, declaredBy } from "./declared.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Finds the route of a method and path among the endpoints of an app, without its middleware, and the scope of a route. */
export class RouteIndex {
  readonly #router = new TrieRouter<string>();
  /** The declarations of the routes, by `METHOD /path/:as/mounted`. */
  readonly #declared: ReadonlyMap<string, Declared>;

  /** Collects the routes of a complete app. Throws an Error for a route that does not declare exactly one scope. */
  constructor(app: { routes: readonly RouterRoute[] }) {
    const endpoints = app.routes.filter((route) => route.method !== "ALL");
    this.#declared = collect(endpoints);
    for (const pattern of new Set(endpoints.map((route) => route.path))) this.#router.add("ANY", pattern, pattern);
  }

  /** The scopes of all routes. */
  get scopes(): ReadonlyMap<string, RequiredScope> {
    return new Map([...this.#declared].map(([route, { scope }]) => [route, scope]));
  }

  /** Returns the scope of a route. Throws an Error for an unknown one. */
  scopeOf(route: string): RequiredScope {
    return this.#of(route).scope;
  }

  /** Returns what a route makes or reads that outlives its credential, or null. Throws an Error for an unknown one. */
  outlivingOf(route: string): Outliving | null {
    return this.#of(route).outliving;
  }

  /** Returns the schemas of a route of the API. Throws an Error for any other. */
  endpointOf(route: string): Endpoint {
    const { endpoint } = this.#of(route);
    if (endpoint === undefined) throw new Error(`${route} is not a route of the API`);
    return endpoint;
  }

  #of(route: string): Declared {
    const declared = this.#declared.get(route);
    if (declared === undefined) throw new Error(`there is no route ${route}`);
    return declared;
  }

  /** Returns `METHOD /path/:as/mounted`, or null. HEAD is served by GET. */
  find(method: string, path: string): string | null {
    const route = `${method === "HEAD" ? "GET" : method} ${this.#patternOf(path)}`;
    return this.#declared.has(route) ? route : null;
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

/** Returns what the routes declare. Each handler of a route is one entry of `endpoints`. */
function collect(endpoints: readonly RouterRoute[]): Map<string, Declared> {
  const found = new Map<string, Declared[]>();
  for (const { method, path, handler } of endpoints) {
    const declared = found.get(`${method} ${path}`) ?? [];
    found.set(`${method} ${path}`, declared.concat(declaredBy(handler) ?? []));
  }
  return new Map([...found].map(([route, declared]) => [route, onlyOne(route, declared)]));
}

function onlyOne(route: string, [declared, ...others]: readonly Declared[]): Declared {
  if (declared === undefined || others.length > 0) throw new Error(`${route} must declare exactly one scope`);
  return declared;
}

/** Returns a text that sorts patterns of one length: literal segments come before parameters, from the left. */
const specificity = (pattern: string) =>
  pattern
    .split("/")
    .map((segment) => (segment.startsWith(":") ? "1" : "0"))
    .join("");
