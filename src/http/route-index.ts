import type { Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import type { ZodType } from "zod";
import type { RequiredScope } from "../access/accounts/scopes.ts";
import type { AppEnv } from "./env.ts";
import { declaredResponse, declaredScope } from "./needs.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Finds the route of a method and path among the endpoints of an app, without its middleware, and the scope of a route. */
export class RouteIndex {
  readonly #router = new TrieRouter<string>();
  /** The scope of each route, which is `METHOD /path/:as/mounted`, as one of its handlers declares it. */
  readonly scopes: ReadonlyMap<string, RequiredScope>;
  readonly #responses: ReadonlyMap<string, ZodType>;

  /** Collects the routes of a complete app. Throws an Error for a route that does not declare exactly one scope. */
  constructor(app: Pick<Hono<AppEnv>, "routes">) {
    const endpoints = app.routes.filter((route) => route.method !== "ALL");
    this.scopes = collectScopes(endpoints);
    this.#responses = collectResponses(endpoints);
    for (const pattern of new Set(endpoints.map((route) => route.path))) this.#router.add("ANY", pattern, pattern);
  }

  /** Returns the scope of a route. Throws an Error for an unknown one. */
  scopeOf(route: string): RequiredScope {
    const scope = this.scopes.get(route);
    if (scope === undefined) throw new Error(`there is no route ${route}`);
    return scope;
  }

  /** Returns the schema of the JSON body of a route's success, or null for one without. */
  responseOf(route: string): ZodType | null {
    return this.#responses.get(route) ?? null;
  }

  /** Returns `METHOD /path/:as/mounted`, or null. HEAD is served by GET. */
  find(method: string, path: string): string | null {
    const route = `${method === "HEAD" ? "GET" : method} ${this.#patternOf(path)}`;
    return this.scopes.has(route) ? route : null;
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

/** Returns the scopes by route. Each handler of a route is one entry of `endpoints`. */
function collectScopes(endpoints: Hono<AppEnv>["routes"]): Map<string, RequiredScope> {
  const declared = new Map<string, RequiredScope[]>();
  for (const { method, path, handler } of endpoints) {
    const scopes = declared.get(`${method} ${path}`) ?? [];
    declared.set(`${method} ${path}`, scopes.concat(declaredScope(handler) ?? []));
  }
  return new Map([...declared].map(([route, scopes]) => [route, onlyScope(route, scopes)]));
}

function collectResponses(endpoints: Hono<AppEnv>["routes"]): Map<string, ZodType> {
  return new Map(
    endpoints.flatMap(({ method, path, handler }) => {
      const response = declaredResponse(handler);
      return response === null ? [] : [[`${method} ${path}`, response] as const];
    }),
  );
}

function onlyScope(route: string, [scope, ...others]: readonly RequiredScope[]): RequiredScope {
  if (scope === undefined || others.length > 0) throw new Error(`${route} must declare exactly one scope`);
  return scope;
}

/** Returns a text that sorts patterns of one length: literal segments come before parameters, from the left. */
const specificity = (pattern: string) =>
  pattern
    .split("/")
    .map((segment) => (segment.startsWith(":") ? "1" : "0"))
    .join("");
