import { Hono } from "hono";
import { expect, it } from "vitest";
import { isServiceScope, scopes } from "../../src/access/accounts/scopes.ts";
import type { AppEnv } from "../../src/http/env.ts";
import { needs } from "../../src/http/needs.ts";
import { RouteIndex } from "../../src/http/route-index.ts";
import { mountedRoutes, routeScopes, routes } from "../support/route-tests.ts";

const newApp = () => new Hono<AppEnv>();
const text = (c: { text(text: string): Response }) => c.text("ok");

it("every registered route declares one known scope", () => {
  expect(Object.keys(routeScopes).sort()).toEqual(mountedRoutes().sort());
  const kinds = ["any", "session", "platform_admin", "page", "public", ...Object.keys(scopes)];
  const unknown = Object.entries(routeScopes).filter(([, need]) => !isServiceScope(need) && !kinds.includes(need));
  expect(unknown).toEqual([]);
});

it("a route without a scope keeps the app from starting", () => {
  const one = newApp().get("/open", needs("public"), text);
  expect(() => new RouteIndex(one)).not.toThrow();
  expect(() => new RouteIndex(one.post("/open", text))).toThrow("POST /open must declare exactly one scope");
});

it("a route with two scopes keeps the app from starting, also when two folders register it", () => {
  const twice = newApp().get("/both", needs("public"), needs("emails:view", null), text);
  expect(() => new RouteIndex(twice)).toThrow("GET /both must declare exactly one scope");
  const folder = newApp().get("/both", needs("public"), text);
  const mounted = newApp()
    .route("/", folder)
    .route("/", newApp().get("/both", needs("public"), text));
  expect(() => new RouteIndex(mounted)).toThrow("GET /both must declare exactly one scope");
});

it("a scope is found under the mounted path, below apps with error handlers of their own", () => {
  const folder = newApp()
    .get("/:email_id", needs("emails:view", null), text)
    .onError((_error, c) => c.text("failed", 500));
  const index = new RouteIndex(newApp().route("/v1", newApp().route("/emails", folder)));
  expect([...index.scopes]).toEqual([["GET /v1/emails/:email_id", "emails:view"]]);
  expect(index.scopeOf("GET /v1/emails/:email_id")).toBe("emails:view");
});

it("the scope of an unknown route is an error, not open", () => {
  expect(() => routes.scopeOf("GET /v1/unknown")).toThrow("there is no route GET /v1/unknown");
});
