import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { effectiveScopes, roleScopes, scopes } from "../../src/access/accounts/scopes.ts";
import { type AccessTokenKind, signAccessToken } from "../../src/access/sessions/access-token.ts";
import { grantableScopes, requestedScopes } from "../../src/identity/oauth/scopes.ts";
import { database } from "../support/databases.ts";
import { anAccessToken } from "../support/oauth.ts";
import { callRoute, routeScopes } from "../support/route-tests.ts";
import { aSession } from "../support/sessions.ts";
import { apiOn, aWorkspace, type TestWorkspace, testContext } from "../support/workspace.ts";
import { mailboxTokens } from "./credentials.ts";

/**
 * The scopes of the operator's commands, of the mail gateway and of monitoring: each has a secret of its own, and no user,
 * key, client or mailbox can hold one.
 */

const METRICS_TOKEN = "token-of-the-metrics-0123456789-0123456789";
const NOT_SIGNED = "The request is not signed with a master key of this deployment";

/** The kind of token that each scope of the operator takes. */
const operatorTokens: Record<string, AccessTokenKind> = {
  "operator:bootstrap": "bootstrap",
  "operator:sign-in": "operator",
  "operator:backup": "backup",
  "operator:rotation": "rotation",
};
const refusals: Record<string, string> = {
  gateway: "The request does not have the secret of the mail gateway",
  metrics: "The request does not have the token of the metrics",
};
const serviceScopes = [...Object.keys(operatorTokens), ...Object.keys(refusals)];
const serviceRoutes = Object.entries(routeScopes).filter(([, need]) => serviceScopes.includes(need));
const namesOf = (names: readonly string[]) => names.filter((name) => /^(operator|gateway|metrics)/.test(name));

let workspace: TestWorkspace;
/** Headers of each valid credential of a user, client or mailbox, and of each secret of the service, by its name. */
let credentials: Map<string, Record<string, string>>;

/** Calls without a credential. The deployment has a token for metrics. */
const service = apiOn({ METRICS_TOKEN }, null);

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const operatorToken = async (kind: AccessTokenKind) => {
  const claims = { sub: "operator@example.org", sid: "operator", wid: "operator" };
  return bearer((await signAccessToken(testContext(), kind, claims)).token);
};

// The files of a process share these bindings.
afterAll(() => Reflect.deleteProperty(env, "METRICS_TOKEN"));
beforeAll(async () => {
  workspace = await aWorkspace();
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [workspace.userId]);
  const { accessToken } = (await aSession(workspace)).tokens;
  const mailbox = await mailboxTokens(workspace);
  credentials = new Map<string, Record<string, string>>([
    ["none", {}],
    ["a key with every scope", bearer(workspace.apiKey)],
    ["the session of an administrator", { Cookie: `session=${accessToken}`, Origin: "http://api.test" }],
    ["an OAuth token with every scope", bearer(await anAccessToken(workspace, grantableScopes))],
    ...mailbox.map(([what, token]): [string, Record<string, string>] => [what, bearer(token)]),
    ["gateway", bearer("gateway-secret-of-the-tests-0123456789")],
    ["metrics", bearer(METRICS_TOKEN)],
    ["smtp", await operatorToken("smtp")],
  ]);
  for (const [scope, kind] of Object.entries(operatorTokens)) credentials.set(scope, await operatorToken(kind));
}, 60_000);

describe("no credential of a user can hold a scope of the service", () => {
  it("`*`, every role and a grant that names them give none", () => {
    expect(namesOf(Object.keys(scopes))).toEqual([]);
    for (const role of ["owner", "admin", "member"] as const) {
      expect(namesOf(roleScopes[role]), role).toEqual([]);
      for (const granted of [["*"], serviceScopes, [...serviceScopes, "operator", "operator:*", "*"]])
        expect(namesOf([...effectiveScopes(granted, { role, mailboxes_only: 0 })]), `${role} ${granted}`).toEqual([]);
    }
  });

  it("OAuth offers none and leaves out those that a client asks for", async () => {
    expect(namesOf(grantableScopes)).toEqual([]);
    expect(requestedScopes(["emails:view", "operator", ...serviceScopes].join(" "))).toEqual(["emails:view"]);
    expect(requestedScopes(serviceScopes.join(" "))).toEqual([]);
    const metadata = await service.get("/.well-known/oauth-authorization-server");
    expect(namesOf((await metadata.json<{ scopes_supported: string[] }>()).scopes_supported)).toEqual([]);
  });

  it("an API key with one is refused, also to an owner", async () => {
    for (const scope of ["operator", ...serviceScopes]) {
      const response = await workspace.post("/v1/api-keys/", { name: "A key", scopes: [scope] });
      expect(response.status, scope).toBe(422);
    }
  });

  it("each credential shows the scopes that it holds, and none is of the service", async () => {
    for (const [name, headers] of credentials) {
      const response = await service.get("/v1/me", headers);
      if (!name.includes("every scope") && !name.includes("administrator")) {
        expect(response.status, name).toBe(401);
        continue;
      }
      const { scopes: held } = await response.json<{ scopes: string[] }>();
      expect(held.length, name).toBeGreaterThan(10);
      expect(namesOf(held), name).toEqual([]);
    }
  });
});

it("every scope of the service is that of a route", () => {
  expect([...new Set(serviceRoutes.map(([, need]) => need))].sort()).toEqual([...serviceScopes].sort());
  const open = Object.entries(routeScopes).filter(([route, need]) => need === "public" && / \/gateway\//.test(route));
  expect(open).toEqual([]);
});

for (const [route, need] of serviceRoutes) {
  it(`${route} takes the credential of ${need} only`, async () => {
    for (const [name, headers] of credentials) {
      const response = await callRoute(service, route, {}, undefined, headers);
      if (name === need) {
        expect(response.status, name).not.toBe(401);
        continue;
      }
      expect(response.status, name).toBe(401);
      expect(response.headers.get("WWW-Authenticate"), name).toMatch(/^Bearer resource_metadata="http[^"]+"$/);
      expect(await response.json(), name).toEqual({ detail: refusals[need] ?? NOT_SIGNED });
    }
  });
}
