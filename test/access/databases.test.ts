/** Every route uses the main database and at most one mail database: that of the caller's workspace. */
import { describe, expect, it } from "vitest";
import { countingDb } from "../support/counting-db.ts";
import { FILE_SHARD } from "../support/databases.ts";
import { callRoute, routeScopes } from "../support/route-tests.ts";
import { aSession } from "../support/sessions.ts";
import { aMember, apiOn, aWorkspace, discardingQueue, perSuite, type TestWorkspace } from "../support/workspace.ts";
import { cases } from "./cases.ts";

/** Routes that read or write each kind of mail table, and must therefore have used the mail database. */
const MAIL_ROUTES = [
  "POST /v1/emails/",
  "POST /v1/emails/batch",
  "GET /v1/emails/",
  "GET /v1/emails/:email_id",
  "GET /v1/emails/:email_id/events",
  "GET /v1/emails/:email_id/source",
  "GET /v1/emails/updates",
  "POST /v1/emails/:email_id/retry",
  "GET /v1/emails/scheduled",
  "DELETE /v1/emails/scheduled/:email_id",
  "GET /v1/contacts/",
  "POST /v1/contacts/",
  "POST /v1/contacts/:list_id/contacts",
  "GET /v1/broadcasts/",
  "POST /v1/broadcasts/",
  "POST /v1/broadcasts/:broadcast_id/send",
];

// Its mail database is not that of the file, so that a default cannot pass for the right one.
const workspace = perSuite(() => aWorkspace({ mailShard: 1 - FILE_SHARD }));
const used = new Map<string, Set<string>>();

async function sessionHeaders(of: TestWorkspace): Promise<Record<string, string>> {
  const { accessToken } = (await aSession(of)).tokens;
  return { Cookie: `session=${accessToken}`, Origin: "http://api.test" };
}

/** Returns the bindings that a successful call of a route used. */
async function bindingsOf(route: string): Promise<Set<string>> {
  const { create, body, query = "", headers, success, inNewWorkspace } = cases[route] ?? { success: 0 };
  const need = routeScopes[route];
  const home = inNewWorkspace ? await aWorkspace({ mailShard: 1 - FILE_SHARD }) : workspace;
  // A route for sessions may change the user.
  const of = need === "session" ? { ...home, userId: (await aMember(home, "owner")).userId } : home;
  const session = need === "session" ? await sessionHeaders(of) : {};
  const ids = (await create?.(of)) ?? {};
  const { bindings, trips } = countingDb();
  const isOpen = need === "public" || need === "page" || need === "session";
  const api = apiOn({ ...bindings, WORK: discardingQueue }, isOpen ? null : of.apiKey);
  const response = await callRoute(api, `${route}${query}`, ids, body?.(of, ids), {
    ...session,
    ...headers,
  });
  // Some cases expect a refusal that depends on the other records of their test.
  expect(response.ok ? success : response.status).toBe(success);
  return new Set(trips.flatMap(({ statements }) => statements.map(({ binding }) => binding)));
}

describe("a successful call uses no mail database but that of its workspace", () => {
  // Administrators of the platform and monitors see the work of all databases, and an invitation is mail of another workspace.
  const ofAll = ["GET /ready", "GET /status", "GET /metrics", "POST /v1/workspaces/:workspace_id/invitations"];
  const routes = Object.keys(routeScopes).filter(
    (route) => routeScopes[route] !== "platform_admin" && !ofAll.includes(route),
  );
  for (const route of routes) {
    it(route, async () => {
      const bindings = await bindingsOf(route);
      used.set(route, bindings);
      expect(bindings).not.toContain(`MAIL_${FILE_SHARD}`);
    });
  }

  it("and those that have mail use both the main database and that one", () => {
    const both = new Set(["DB", `MAIL_${1 - FILE_SHARD}`]);
    expect(MAIL_ROUTES.filter((route) => !used.has(route))).toEqual([]);
    expect(MAIL_ROUTES.filter((route) => used.get(route)?.size !== both.size)).toEqual([]);
  });
});
