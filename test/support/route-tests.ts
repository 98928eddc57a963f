import { expect, it } from "vitest";
import { newApiKey } from "../../src/accounts/api-key.ts";
import { type Need, routeNeeds, type Scope, scopes } from "../../src/accounts/index.ts";
import { app } from "../../src/app.ts";
import { aKey, apiWith, type TestWorkspace, testContext } from "./workspace.ts";

/** Every endpoint the app serves, `METHOD /path/:as/mounted`. */
export function mountedRoutes(): string[] {
  const endpoints = app.routes.filter(({ method }) => method !== "ALL");
  return [...new Set(endpoints.map(({ method, path }) => `${method} ${path}`))];
}

/** Ids to put into a path, by the name of the parameter. */
export type PathIds = Readonly<Record<string, string>>;

/** Calls a route by its name in the scope table. */
export function callRoute(api: ReturnType<typeof apiWith>, route: string, ids: PathIds, body?: unknown) {
  const [method = "", path = ""] = route.split(" ");
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => ids[name] ?? crypto.randomUUID());
  return api.call(method, filled, method === "GET" ? undefined : (body ?? {}));
}

interface Setup {
  /** Whose keys are tried. */
  workspace: () => TestWorkspace;
  /** Ids of records that this workspace has, and ones of another workspace. */
  own: () => PathIds;
  foreign: () => PathIds;
}

/**
 * The tests every route begins with, made from the scope table: 401 for what is no credential, 403 without the
 * scope, an answer with that scope alone, and for a path that names a record, 404 in the same octets for a
 * malformed, an unknown and a foreign id.
 */
export function runRouteTests(setup: Setup): void {
  for (const [route, need] of Object.entries(routeNeeds)) {
    if (need === "public") {
      it(`${route} asks nobody who they are`, async () => {
        expect((await callRoute(apiWith(null), route, {})).status).toBe(200);
      });
    } else {
      runGuardedRouteTests(route, need, setup);
    }
  }
}

function runGuardedRouteTests(route: string, need: Exclude<Need, "public">, { workspace, own, foreign }: Setup): void {
  it(`${route} answers 401 in one form to every credential that does not hold`, async () => {
    for (const [what, response] of await unheldCredentials(route, workspace())) {
      expect(response.status, what).toBe(401);
      expect(response.headers.get("WWW-Authenticate"), what).toMatch(/^Bearer resource_metadata="http/);
      expect(await response.json(), what).toEqual({ detail: expect.any(String) });
    }
  });

  if (need !== "any") {
    it(`${route} answers 403 without ${need}, and lets in whoever has it alone`, async () => {
      const others = (Object.keys(scopes) as Scope[]).filter((scope) => scope !== need && !implies(scope, need));
      const without = await callRoute(apiWith(await aKey(workspace(), { scopes: others })), route, own());
      expect(without.status).toBe(403);
      expect(await without.json()).toEqual({ detail: `Missing scope: ${need}` });
      const alone = await callRoute(apiWith(await aKey(workspace(), { scopes: [need] })), route, own());
      expect([401, 403, 404, 500]).not.toContain(alone.status);
    });
  }

  if (route.includes(":")) {
    it(`${route} answers 404 in the same octets to ids that are malformed, unknown or another workspace's`, async () => {
      const api = apiWith(workspace().apiKey);
      const [parameter = ""] = /(?<=:)[a-z_]+/.exec(route) ?? [];
      const ids = ["nonsense", "%00", "1", testContext().newId(), crypto.randomUUID(), foreign()[parameter] ?? ""];
      const answers = ids.map(async (id) => {
        const response = await callRoute(api, route, { [parameter]: id });
        return `${response.status} ${response.headers.get("Content-Type")} ${await response.text()}`;
      });
      expect(new Set(await Promise.all(answers)).size).toBe(1);
      expect(await answers[0]).toMatch(/^404 application\/json/);
      expect((await callRoute(api, route, own())).status).toBeLessThan(300);
    });
  }
}

async function unheldCredentials(route: string, workspace: TestWorkspace): Promise<[string, Response][]> {
  const { apiKey } = workspace;
  const past = Date.now() - 1;
  const mistyped = `${apiKey.slice(0, -1)}${apiKey.endsWith("0") ? "1" : "0"}`;
  const leaver = await leftMember(workspace);
  const headers: [string, string | null][] = [
    ["none", null],
    ["another scheme", `Basic ${btoa(`${apiKey}:`)}`],
    ["no token", "Bearer"],
    ["no scheme", apiKey],
    ["two tokens", `Bearer ${apiKey} ${apiKey}`],
    ["not a key", "Bearer abc"],
    ["mistyped", `Bearer ${mistyped}`],
    ["cut", `Bearer ${apiKey.slice(0, -4)}`],
    ["never issued", `Bearer ${newApiKey()}`],
    ["revoked", `Bearer ${await aKey(workspace, { revokedAt: past })}`],
    ["expired", `Bearer ${await aKey(workspace, { expiresAt: past })}`],
    ["of somebody who left", `Bearer ${await aKey(workspace, { userId: leaver })}`],
  ];
  return Promise.all(
    headers.map(async ([what, Authorization]): Promise<[string, Response]> => {
      const [method = "", path = ""] = route.split(" ");
      return [what, await apiWith(null).call(method, path, undefined, Authorization === null ? {} : { Authorization })];
    }),
  );
}

/** A user without a membership. */
async function leftMember({ domain }: TestWorkspace): Promise<string> {
  const ctx = testContext();
  const id = ctx.newId();
  await ctx.db
    .prepare("INSERT INTO users (id, email, email_key, created_at) VALUES (?1, ?2, ?2, ?3)")
    .bind(id, `${id}@${domain}`, ctx.now())
    .run();
  return id;
}

const implies = (held: Scope, need: Scope) => held === need.replace(/:view$/, ":manage");
