import { env } from "cloudflare:workers";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { beforeAll, describe, expect, it } from "vitest";
import {
  isServiceScope,
  type RequiredScope,
  roleScopes,
  type Scope,
  scopes,
} from "../../src/access/accounts/scopes.ts";
import type { Role } from "../../src/access/caller.ts";
import { grantableScopes } from "../../src/identity/oauth/scopes.ts";
import * as mailSchema from "../../src/platform/db/schema/mail/index.ts";
import * as mainSchema from "../../src/platform/db/schema/main/index.ts";
import { database, FILE_SHARD } from "../support/databases.ts";
import { anAccessToken } from "../support/oauth.ts";
import { callRoute, isDeniedToOauth, mountedRoutes, type PathIds, routeScopes } from "../support/route-tests.ts";
import { aSession } from "../support/sessions.ts";
import { aKey, aMember, apiWith, aWorkspace, type TestWorkspace, testContext } from "../support/workspace.ts";
import { cases } from "./cases.ts";
import { isResendRoute, resendRefusal } from "./compat-cases.ts";
import { invalidCredentials } from "./credentials.ts";
import type { ForeignIds, RouteCase } from "./route-case.ts";

/**
 * Calls every mounted route without a credential, with the least right, with all other rights, and with ids of another
 * workspace in path, query and body. rights.test.ts has the product of roles, scopes and credentials for the function that
 * these calls show every route to go through. A route that is missing in cases.ts fails.
 */

/** The other workspace is on the other mail database. */
const OTHER_SHARD = 1 - FILE_SHARD;

let ownWorkspace: TestWorkspace;
let otherWorkspace: TestWorkspace;
let foreignPaths: Map<string, PathIds>;
let foreignIds: ForeignIds;
let invalid: [string, Record<string, string>][];
let ownSession: Api;
let adminSession: Api;
let before: string;

beforeAll(async () => {
  [ownWorkspace, otherWorkspace] = await Promise.all([aWorkspace(), aWorkspace({ mailShard: OTHER_SHARD })]);
  foreignPaths = new Map();
  for (const [route, { create: make }] of Object.entries(cases))
    if (make) foreignPaths.set(route, await make(otherWorkspace));
  foreignIds = {
    domain: otherWorkspace.domainId,
    mailbox: otherWorkspace.mailboxId,
    user: otherWorkspace.userId,
    workspace: otherWorkspace.workspaceId,
    email: foreignPaths.get("GET /v1/emails/:email_id")?.email_id ?? "",
    list: foreignPaths.get("GET /v1/contacts/:list_id")?.list_id ?? "",
    segment: foreignPaths.get("GET /v1/segments/:segment_id")?.segment_id ?? "",
    contact: foreignPaths.get("GET /v1/contacts/:list_id/contacts/:contact_id")?.contact_id ?? "",
    variant: foreignPaths.get("PATCH /v1/broadcasts/:broadcast_id/variants/:variant_id")?.variant_id ?? "",
  };
  ownSession = await aSession(ownWorkspace);
  const admin = { ...ownWorkspace, userId: (await aMember(ownWorkspace, "member")).userId };
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [admin.userId]);
  const { sessionId, ...asAdmin } = await aSession(admin);
  await database.run("UPDATE sessions SET reauthenticated_at = ?2 WHERE id = ?1", [sessionId, Date.now()]);
  adminSession = asAdmin;
  invalid = await invalidCredentials(ownWorkspace);
  before = await rowsOf(otherWorkspace);
}, 120_000);

/** Returns all rows of a workspace as JSON, without last_used_at. */
async function rowsOf({ workspaceNumber }: TestWorkspace): Promise<string> {
  const dump = (db: D1Database, schema: Record<string, unknown>) =>
    Object.values(schema)
      .filter((value) => is(value, SQLiteTable))
      .filter((table) => "workspace" in getTableColumns(table))
      .map(async (table) => {
        const { results } = await db
          .prepare(`SELECT * FROM ${getTableName(table)} WHERE workspace = ?1`)
          .bind(workspaceNumber)
          .all();
        return [getTableName(table), results.map(({ last_used_at: _, ...row }) => row)];
      });
  const dumps = [...dump(env.DB, mainSchema), ...dump(env.MAIL_0, mailSchema), ...dump(env.MAIL_1, mailSchema)];
  return JSON.stringify(await Promise.all(dumps));
}

type Api = ReturnType<typeof apiWith>;

/** Returns the valid credential of the own workspace that a route takes. */
const ownCredential = (need: RequiredScope) =>
  need === "platform_admin" ? adminSession : need === "session" ? ownSession : apiWith(ownWorkspace.apiKey);

const keys = new Map<string, Promise<string>>();

/** Returns the key of the own workspace that has these scopes. */
function keyWith(held: readonly Scope[]): Promise<string> {
  const name = held.join(" ");
  const key = keys.get(name) ?? aKey(ownWorkspace, { scopes: [...held] });
  keys.set(name, key);
  return key;
}

const colleagues = new Map<Role, Promise<Awaited<ReturnType<typeof aMember>>>>();

/** Returns a member of the own workspace with this role. */
function colleagueWith(role: Role) {
  const colleague = colleagues.get(role) ?? aMember(ownWorkspace, role);
  colleagues.set(role, colleague);
  return colleague;
}

/** Calls a route by its case, with the credential of `api`. */
async function call(
  route: string,
  api: Api,
  options: { in?: TestWorkspace; ids?: PathIds; body?: unknown; query?: string } = {},
) {
  const workspace = options.in ?? ownWorkspace;
  const { create: make, body, query = "", headers } = cases[route] as RouteCase;
  const ids = options.ids ?? (await make?.(workspace)) ?? {};
  return callRoute(api, `${route}${options.query ?? query}`, ids, options.body ?? body?.(workspace, ids), headers);
}

const all = Object.keys(scopes) as Scope[];

/** Returns one of some things, in turn, so that the routes together try each. */
function turnOf<Thing>(things: readonly Thing[]): Thing[] {
  turn++;
  return things.slice(turn % things.length).slice(0, 1);
}
let turn = 0;

/** Returns a key of a member that has this scope only. */
async function memberKeyWith(scope: Scope): Promise<string> {
  const key =
    memberKeys.get(scope) ?? aKey(ownWorkspace, { userId: (await colleagueWith("member")).userId, scopes: [scope] });
  memberKeys.set(scope, key);
  return key;
}
const memberKeys = new Map<Scope, Promise<string>>();

/** Routes of each way to find the caller of a token (http/auth.ts): they refuse every invalid credential. */
const everyInvalid = [
  "GET /v1/me",
  "POST /v1/emails/",
  "POST /v1/emails/batch",
  "GET /v1/sessions/",
  "GET /v1/admin/users",
  "GET /v1/inbox/:mailbox_id/folders",
  "POST /v1/inbox/:mailbox_id/messages/:uid/flags",
  "POST /compat/resend/emails",
  "POST /mcp",
];

const text = async (response: Response) =>
  `${response.status} ${response.headers.get("Content-Type")} ${await response.text()}`;
const implies = (held: Scope, need: RequiredScope) => held === need || held === need.replace(/:view$/, ":manage");
const GRANTABLE: readonly RequiredScope[] = ["any", ...grantableScopes];
const refusalOf = (need: RequiredScope) =>
  need === "session" || need === "platform_admin"
    ? "This endpoint takes a session, not an API key"
    : `Missing scope: ${need}`;

/** Returns functions that call the API with a credential of a user. */
async function apiOf(
  credential: "API key" | "session" | "OAuth token",
  user: TestWorkspace,
  apiKey: string,
): Promise<Api> {
  if (credential === "session") return aSession(user);
  return apiWith(credential === "API key" ? apiKey : await anAccessToken(user));
}

it("refuses OAuth tokens on exactly the routes that create or read credentials, or send data elsewhere", () => {
  const denied = mountedRoutes().filter((route) => isDeniedToOauth(route) && routeScopes[route] !== "session");
  expect(denied.sort()).toEqual([
    "DELETE /v1/workspaces/:workspace_id",
    "GET /v1/api-keys/",
    "GET /v1/forwarding-rules/",
    "GET /v1/forwarding-rules/:rule_id",
    "GET /v1/mailboxes/:mailbox_id/app-passwords",
    "GET /v1/smtp-credentials/",
    "GET /v1/webhooks/",
    "GET /v1/webhooks/:webhook_id",
    "GET /v1/webhooks/:webhook_id/deliveries",
    "GET /v1/webhooks/:webhook_id/deliveries/:delivery_id",
    "GET /v1/workspaces/:workspace_id/invitations",
    "PATCH /v1/forwarding-rules/:rule_id",
    "PATCH /v1/webhooks/:webhook_id",
    "PATCH /v1/workspaces/:workspace_id/members/:user_id",
    "POST /v1/api-keys/",
    "POST /v1/api-keys/:api_key_id/rotate",
    "POST /v1/domains/:domain_id/transfer",
    "POST /v1/forwarding-rules/",
    "POST /v1/mailboxes/:mailbox_id/app-passwords",
    "POST /v1/smtp-credentials/",
    "POST /v1/webhooks/",
    "POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/replay",
    "POST /v1/webhooks/:webhook_id/test",
    "POST /v1/workspaces/:workspace_id/invitations",
    "PUT /v1/mailboxes/:mailbox_id/assignees",
    "PUT /v1/mailboxes/:mailbox_id/password",
  ]);
});

it("lists exactly the mounted routes", () => {
  expect(Object.keys(cases).sort()).toEqual(mountedRoutes().sort());
  expect(Object.keys(routeScopes).sort()).toEqual(mountedRoutes().sort());
});

for (const [route, need] of Object.entries(routeScopes)) {
  const {
    success,
    only,
    inNewWorkspace,
    beyond,
    crossesWorkspaces,
    takesAnyId,
    foreignId,
    isPerUser,
    places = {},
  } = cases[route] ?? { success: 0 };
  if (need === "public" || need === "page" || isServiceScope(need)) {
    it(`${route} needs no credentials`, async () => {
      expect((await call(route, apiWith(null))).status).toBe(success);
    });
    continue;
  }

  const required: readonly RequiredScope[] = [need, ...(beyond === undefined || beyond === "all" ? [] : beyond)];

  describe(route, () => {
    it("returns 401 in one form without a credential and to an invalid one", async () => {
      const tried =
        everyInvalid.includes(route) || env.TEST_LONG ? invalid : [...invalid.slice(0, 1), ...turnOf(invalid)];
      for (const [what, headers] of tried) {
        if (what === "mailbox session: access token" && route.includes(" /v1/inbox/")) {
          // It opens its own mailbox and no other.
          const { body, query = "", headers: more } = cases[route] as RouteCase;
          const unknown = { ...headers, ...more };
          const refused = await callRoute(apiWith(null), `${route}${query}`, {}, body?.(ownWorkspace, {}), unknown);
          expect(refused.status, what).toBe(403);
          continue;
        }
        const response = await callRoute(apiWith(null), route, {}, undefined, headers);
        expect(response.status, what).toBe(401);
        const challenge = response.headers.get("WWW-Authenticate");
        expect(challenge, what).toMatch(/^Bearer resource_metadata="http/);
        // A request without a token gets no error code (RFC 6750 3.1).
        const hasToken = /^Bearer +\S/.test(headers.Authorization ?? "");
        expect(challenge?.includes('error="invalid_token"'), what).toBe(hasToken);
        const form = isResendRoute(route) ? resendRefusal(401) : { detail: expect.any(String) };
        expect(await response.json(), what).toEqual(form);
      }
    });

    it("accepts the least right that its scope asks for", async () => {
      const workspace = inNewWorkspace ? await aWorkspace() : ownWorkspace;
      if (need === "platform_admin") return expect((await call(route, adminSession)).status).toBe(success);
      if (need === "session") {
        const user = { ...workspace, userId: (await aMember(workspace, "member")).userId };
        const response = await call(route, await aSession(user), { in: user });
        return expect(response.status).toBe(only === undefined ? success : 403);
      }
      const [scope = "emails:view"] = need === "any" ? turnOf(all) : [need as Scope];
      const isForMembers = only === undefined && !isPerUser && !inNewWorkspace && roleScopes.member.includes(scope);
      const api = apiWith(isForMembers ? await memberKeyWith(scope) : await aKey(workspace, { scopes: [scope] }));
      const response = await call(route, api, { in: workspace });
      if (beyond === undefined) expect(response.status).toBe(success);
      else expect(await text(response)).toContain("Missing scope: ");
    });

    it("refuses a key with all other scopes, before it looks for a record", async () => {
      const others = all.filter((scope) => need !== "any" && !implies(scope, need));
      if (others.length === 0) return;
      // A key with all the others at once is refused, so one with some of them is. The long form tries each alone, too.
      for (const held of [others, ...(env.TEST_LONG ? others.map((scope) => [scope]) : [])]) {
        const response = await call(route, apiWith(await keyWith(held)), { ids: {} });
        const name = held.join(" ");
        if (isResendRoute(route)) expect(await response.json(), name).toEqual(resendRefusal(403, refusalOf(need)));
        else expect(await text(response), name).toBe(`403 application/json {"detail":"${refusalOf(need)}"}`);
      }
      if (need !== "platform_admin") return;
      const response = await call(route, ownSession, { ids: {} });
      expect(await text(response)).toContain('403 application/json {"detail":"This endpoint is for administrators');
    });

    for (const scope of beyond === undefined ? [] : all.filter((held) => implies(held, need)))
      it(`accepts a key with ${scope} as far as the call needs no other scope`, async () => {
        const response = await call(route, apiWith(await keyWith([scope])));
        if (beyond !== "all" && required.every((one) => implies(scope, one))) expect(response.status).toBe(success);
        else expect(await text(response)).toContain("Missing scope: ");
      });

    // A call that needs every scope is not open: no grant has all of them.
    const isForSessions = need === "session" || need === "platform_admin";
    const isOpenToOauth = !isForSessions && !isDeniedToOauth(route) && beyond !== "all";
    // Handlers that check more than the scope look at role and scopes, whatever the credential: keys of each role show it.
    const hasMore = only !== undefined || beyond !== undefined || isPerUser;
    it.runIf(env.TEST_FULL)("accepts an OAuth token with the required scope and none without it", async () => {
      const withScope = (Object.keys(scopes) as Scope[]).filter((scope) => required.includes(scope));
      const others = (Object.keys(scopes) as Scope[]).filter((scope) => !implies(scope, need));
      const workspace = inNewWorkspace ? await aWorkspace() : ownWorkspace;
      const refused = await call(route, apiWith(await anAccessToken(workspace, others)), { in: workspace });
      if (need !== "any") {
        const isMissing = !isForSessions && !isDeniedToOauth(route);
        expect([refused.status, refused.headers.has("WWW-Authenticate")]).toEqual([403, isMissing]);
      } else expect(refused.status).toBe(success);
      const allowed = await call(route, apiWith(await anAccessToken(workspace, withScope)), { in: workspace });
      expect(allowed.status).toBe(isOpenToOauth && only !== "maker" ? success : 403);
    });

    for (const credential of ["API key", "session", "OAuth token"] as const) {
      it.runIf(env.TEST_FULL || (hasMore && credential === "API key"))(
        `accepts each role with its ${credential} as far as its scopes allow`,
        async () => {
          for (const role of ["owner", "admin", "member"] as const) {
            const workspace = inNewWorkspace ? await aWorkspace() : ownWorkspace;
            // A route for sessions may change the user or end the session.
            const isShared = !inNewWorkspace && need !== "session" && !isPerUser;
            const colleague = isShared ? await colleagueWith(role) : await aMember(workspace, role);
            const ofColleague = { ...workspace, userId: colleague.userId };
            const api = await apiOf(credential, ofColleague, colleague.apiKey);
            const response = await call(route, api, { in: need === "session" || isPerUser ? ofColleague : workspace });
            const held: RequiredScope[] = [
              "any",
              ...roleScopes[role],
              ...(credential === "session" ? (["session"] as const) : []),
            ];
            const isScoped = required.every((one) => held.includes(one));
            const isGranted = required.every((one) => GRANTABLE.includes(one));
            const isOpen = credential !== "OAuth token" || (isOpenToOauth && isGranted);
            const isAllowed =
              isScoped &&
              isOpen &&
              only !== "maker" &&
              (only !== "owners" || role === "owner") &&
              (only !== "admins" || role !== "member");
            expect(response.status, role).toBe(isAllowed ? success : 403);
          }
        },
      );
    }

    if (route.includes(":") && !crossesWorkspaces && !takesAnyId) {
      it("returns an id of another workspace byte for byte like an unknown id", async () => {
        const [parameter = ""] = /(?<=:)[a-z_]+/.exec(route) ?? [];
        const foreign = foreignPaths.get(route)?.[parameter] ?? "";
        const unknown = ["nonsense", "%00", "1", testContext().newId(), crypto.randomUUID()];
        const ids = foreignId === undefined ? [...unknown, foreign] : unknown;
        const callWith = (id: string) => call(route, ownCredential(need), { ids: { [parameter]: id } });
        const responseTo = async (id: string) => text(await callWith(id));
        if (foreignId !== undefined) {
          const response = await callWith(foreign);
          expect(`${response.status} ${(await response.json<{ code: string }>()).code}`).toBe(foreignId);
        }
        const responses = await Promise.all(ids.map(responseTo));
        expect(new Set(responses).size, responses.join("\n")).toBe(1);
        expect(responses[0]).toMatch(/^404 application\/json/);
      });
    }

    for (const [place, { of, body, query }] of Object.entries(places)) {
      it(`returns an id of another workspace in ${place} byte for byte like an unknown id`, async () => {
        const withId = async (id: string) =>
          text(
            await call(route, ownCredential(need), {
              ...(body ? { body: body(ownWorkspace, id) } : {}),
              ...(query ? { query: `?${query}=${id}` } : {}),
            }),
          );
        const foreign = await withId(foreignIds[of]);
        if (place === "before") return expect(foreign).toMatch(/^200 /);
        expect(foreign).toBe(await withId(testContext().newId()));
        expect(foreign).not.toMatch(/^5/);
      });
    }
  });
}

it("no call has changed a row of the other workspace", async () => {
  expect(await rowsOf(otherWorkspace)).toBe(before);
});
