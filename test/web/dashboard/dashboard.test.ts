import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { expectSince } from "../../support/expect-since.ts";
import { aGrant, createGrant } from "../../support/oauth.ts";
import { callRoute, mountedRoutes } from "../../support/route-tests.ts";
import { aSession } from "../../support/sessions.ts";
import { codeOf } from "../../support/sign-ins.ts";
import {
  aKey,
  aMember,
  apiOn,
  apiWith,
  aWorkspace,
  perSuite,
  perTest,
  type TestWorkspace,
  testContext,
} from "../../support/workspace.ts";
import { foreignIds, submit } from "./support.ts";

const other = perSuite(aWorkspace);
const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const aKeyForm = (changes: Record<string, string> = {}) => ({
  name: "Shop server",
  scope: "emails:send",
  days: "",
  idempotency_key: crypto.randomUUID(),
  ...changes,
});

const shownKey = (html: string) => /svc_k_[0-9A-Za-z]{40}/.exec(html)?.[0];

/** Returns the ids of API keys, sessions and grants of a workspace that have not ended. */
async function credentials({ workspaceNumber }: TestWorkspace): Promise<string[]> {
  const results = await database.rows<{ id: string }>(
    `SELECT id FROM api_keys WHERE workspace = ?1 AND revoked_at IS NULL
      UNION ALL SELECT id FROM oauth_grants WHERE workspace = ?1 UNION ALL SELECT id FROM sessions WHERE workspace = ?1`,
    [workspaceNumber],
  );
  return results.map(({ id }) => id).sort();
}

/** Returns the id of an API key of a workspace. */
async function aKeyId(of: TestWorkspace): Promise<string> {
  await aKey(of);
  const keys = env.DB.prepare("SELECT id FROM api_keys WHERE workspace = ?1 ORDER BY created_at DESC, id DESC");
  return (await keys.bind(of.workspaceNumber).first<string>("id")) ?? "";
}

const pages = mountedRoutes().filter((route) => / \/app(\/|$)/.test(route));

describe("every page of the dashboard", () => {
  it("sends a visitor without a session to the sign-in page, and back", async () => {
    expect(pages.length).toBeGreaterThan(10);
    for (const route of pages.filter((page) => page.startsWith("GET "))) {
      const response = await callRoute(apiWith(null), route, {});
      const location = new URL(response.headers.get("Location") ?? "", "http://api.test");
      expect([response.status, location.pathname], route).toEqual([303, "/auth/sign-in"]);
      expect(location.searchParams.get("next"), route).toMatch(/^\/app/);
    }
  });

  it("refuses forms of other sites and of unknown origin, and changes nothing", async () => {
    const ids = { api_key_id: await aKeyId(workspace), session_id: (await aSession(workspace)).sessionId };
    const paths = { ...ids, ...(await createGrant(workspace)) };
    const before = await credentials(workspace);
    const cookie = `session=${session.tokens.accessToken}`;
    const sources: Record<string, string>[] = [
      { Origin: "https://evil.example" },
      { "Sec-Fetch-Site": "same-site" },
      {},
    ];
    for (const route of pages.filter((page) => page.startsWith("POST "))) {
      for (const source of sources) {
        const response = await callRoute(apiWith(null), route, paths, aKeyForm(), {
          Cookie: cookie,
          ...source,
        });
        expect(response.status, `${route} ${JSON.stringify(source)}`).toBe(403);
        expect(response.headers.get("Content-Type"), route).toMatch(/^text\/html/);
      }
    }
    expect(await credentials(workspace)).toEqual(before);
    const totp = env.DB.prepare("SELECT count(*) AS n FROM user_totp WHERE user_id = ?1").bind(workspace.userId);
    expect(await totp.first("n")).toBe(0);
  });

  it("handles ids of another workspace or user like unknown ids, with a page", async () => {
    const foreign = {
      api_key_id: await aKeyId(other),
      session_id: (await aSession(other)).sessionId,
      ...(await createGrant(other)),
      ...(await foreignIds(other)),
    };
    const before = await credentials(other);
    const unknown = Object.fromEntries(Object.keys(foreign).map((name) => [name, testContext().newId()]));
    const send_at = new Date(Date.now() + 3_600_000).toISOString().slice(0, 16);
    const fields = `${new URLSearchParams({ idempotency_key: crypto.randomUUID(), send_at })}`;
    const visit = (route: string, ids: Record<string, string>) =>
      callRoute(session, route, ids, fields, { "Content-Type": "application/x-www-form-urlencoded" });
    const withoutIds = async (response: Response) => [
      response.status,
      (await response.text()).replace(/Request <span.*?<\/span>|data-now="\d+"|name="form_page" value="[^"]*"/g, ""),
    ];
    const withoutFields = (route: string, ids: Record<string, string>) =>
      callRoute(session, route, ids, "", { "Content-Type": "application/x-www-form-urlencoded" });
    // An account that a transfer was not sent to is told so (docs/contract/transfers.md#calls-of-a-transfer).
    const ofRecipients = /^POST .*\/transfers\/:transfer_id\/(accept|decline)$/;
    for (const route of pages.filter((page) => page.includes(":") && !ofRecipients.test(page))) {
      const result = await withoutIds(await visit(route, foreign));
      // A form that is not filled in tells no more about the id.
      for (const ids of route.startsWith("POST ") ? [foreign, unknown] : [])
        expect(await withoutIds(await withoutFields(route, ids)), `${route} without fields`).toEqual(result);
      expect(result, route).toEqual(await withoutIds(await visit(route, unknown)));
      const refusal = route.includes(" /app/admin/") ? [403, "<h1>Not allowed</h1>"] : [404, "<h1>Not found</h1>"];
      expect(result, route).toEqual([refusal[0], expect.stringContaining(String(refusal[1]))]);
    }
    expect(await credentials(other)).toEqual(before);
  });

  it("escapes names that users and programs chose", async () => {
    const attack = `"><script>alert(1)</script>'&`;
    await submit(session, "/app/api-keys", aKeyForm({ name: attack }));
    await aGrant(workspace);
    await env.DB.batch([
      env.DB.prepare("UPDATE users SET name = ?2 WHERE id = ?1").bind(workspace.userId, attack),
      env.DB.prepare("UPDATE workspaces SET name = ?2 WHERE id = ?1").bind(workspace.workspaceId, attack),
      env.DB.prepare("UPDATE sessions SET user_agent = ?2 WHERE user_id = ?1").bind(workspace.userId, attack),
      env.DB.prepare(
        "UPDATE oauth_clients SET name = ?2 WHERE id IN (SELECT client_id FROM oauth_grants WHERE user_id = ?1)",
      ).bind(workspace.userId, attack),
    ]);
    for (const path of ["/app", "/app/api-keys", "/app/grants", "/app/security"]) {
      const html = await (await session.get(path)).text();
      const scripts = html.match(/<script\b[^>]*>/g) ?? [];
      expect(scripts, path).toEqual([
        expect.stringMatching(/^<script type="module" src="\/assets\/page-[0-9a-f]+\.js">$/),
      ]);
      expect(html, path).toContain("&lt;script&gt;");
    }
  });
});

describe("the API keys page", () => {
  it("creates a key with the chosen rights and shows it in that response only", async () => {
    const start = Date.now();
    const response = await submit(session, "/app/api-keys", [
      ...Object.entries(aKeyForm({ days: "30" })),
      ["scope", "emails:view"],
    ]);
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    const key = shownKey(await response.text()) ?? "";
    const me = await (await apiWith(key).get("/v1/me")).json<{
      scopes: string[];
      authentication: { expires_at: string };
    }>();
    expect(me.scopes).toEqual(["emails:send", "emails:view"]);
    expectSince(start, Date.parse(me.authentication.expires_at) - 30 * 86_400_000);
    const list = await (await session.get("/app/api-keys")).text();
    expect([shownKey(list), list]).toEqual([undefined, expect.stringContaining("Shop server")]);
  });

  it("creates one key however often a form is submitted, also at once", async () => {
    const form = aKeyForm();
    const responses = await Promise.all(Array.from({ length: 5 }, () => submit(session, "/app/api-keys", form)));
    const keys = await Promise.all(responses.map(async (response) => shownKey(await response.text())));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toBeDefined();
    const named = env.DB.prepare("SELECT count(*) AS n FROM api_keys WHERE workspace = ?1 AND name = 'Shop server'");
    expect(await named.bind(workspace.workspaceNumber).first("n")).toBe(1);
    expect((await submit(session, "/app/api-keys", { ...form, name: "Another" })).status).toBe(409);
  });

  it("shows an invalid form again, with its values and the reason", async () => {
    const { scope: _, ...withoutScope } = aKeyForm({ name: "Kept" });
    const issues: [Record<string, string>, string][] = [
      [withoutScope, "Select at least one permission"],
      [aKeyForm({ name: "" }), "name must have 1 to 100 characters"],
      [aKeyForm({ scope: "nonsense" }), "scopes must contain only"],
      [aKeyForm({ days: "31" }), "Select when the key expires"],
      [aKeyForm({ idempotency_key: "" }), "The form is incomplete"],
    ];
    const before = await credentials(workspace);
    for (const [form, reason] of issues) {
      const response = await submit(session, "/app/api-keys", form);
      const html = await response.text();
      expect([response.status, html], reason).toEqual([422, expect.stringContaining(reason)]);
      expect(html).toContain(`value="${form.name}"`);
      if (form.scope === "emails:send") expect(html).toContain('value="emails:send" checked');
    }
    expect(await credentials(workspace)).toEqual(before);
  });

  it("lets members see the keys, and neither create nor revoke one", async () => {
    const member = await aSession({ ...workspace, userId: (await aMember(workspace, "member")).userId });
    const id = await aKeyId(workspace);
    const html = await (await member.get("/app/api-keys")).text();
    expect(html).toContain("svc_k_");
    expect(html).not.toMatch(/<form[^>]*api-keys|\/revoke/);
    for (const response of [
      await submit(member, "/app/api-keys", aKeyForm()),
      await member.get(`/app/api-keys/${id}/revoke`),
      await submit(member, `/app/api-keys/${id}/revoke`),
    ])
      expect([response.status, await response.text()]).toEqual([
        403,
        expect.stringContaining("Missing scope: team:manage"),
      ]);
    expect(await credentials(workspace)).toContain(id);
  });

  it("asks before it revokes a key, which is refused from the next request on", async () => {
    const html = await (await submit(session, "/app/api-keys", aKeyForm())).text();
    const key = apiWith(shownKey(html) ?? "");
    const path =
      /\/app\/api-keys\/[0-9a-f-]{36}\/revoke/.exec(await (await session.get("/app/api-keys")).text())?.[0] ?? "";
    expect(await (await session.get(path)).text()).toContain("Revoke Shop server?");
    expect((await key.get("/v1/me")).status).toBe(200);
    const done = await submit(session, path);
    expect([done.status, done.headers.get("Location")]).toEqual([303, "/app/api-keys?done=revoked"]);
    expect((await key.get("/v1/me")).status).toBe(401);
    expect(await (await session.get("/app/api-keys?done=revoked")).text()).toContain("The key is revoked.");
  });
});

describe("the page of connected programs", () => {
  it("asks before it ends a grant, whose tokens are refused from the next request on", async () => {
    const grant = await aGrant(workspace);
    const list = await (await session.get("/app/grants")).text();
    expect(list).toContain("An assistant");
    const path = /\/app\/grants\/[0-9a-f-]{36}\/revoke/.exec(list)?.[0] ?? "";
    expect(await (await session.get(path)).text()).toContain("Disconnect An assistant?");
    expect((await grant.get("/v1/me")).status).toBe(200);
    expect((await submit(session, path)).status).toBe(303);
    expect((await grant.get("/v1/me")).status).toBe(401);
    expect(await (await session.get("/app/grants")).text()).toContain("No program is connected.");
  });
});

describe("the security page", () => {
  it("ends another session of the user, and offers that for all but its own", async () => {
    const second = await aSession(workspace);
    const html = await (await session.get("/app/security")).text();
    const paths = html.match(/\/app\/security\/sessions\/[0-9a-f-]{36}\/revoke/g) ?? [];
    expect(paths).toEqual([`/app/security/sessions/${second.sessionId}/revoke`]);
    expect(await (await session.get(paths[0] ?? "")).text()).toContain("End this session?");
    expect((await submit(session, paths[0] ?? "")).headers.get("Location")).toBe("/app/security?done=ended");
    expect((await second.get("/v1/me")).status).toBe(401);
    expect((await session.get("/v1/me")).status).toBe(200);
  });

  it("turns TOTP on with a first code, shows ten recovery codes once, and turns it off", async () => {
    const setup = await (await submit(session, "/app/security/totp/setup")).text();
    const secret = /<p class="code"[^>]*>([A-Z2-7 ]+)<\/p>/.exec(setup)?.[1]?.replaceAll(" ", "") ?? "";
    expect(setup).toContain(`otpauth://totp/`);
    const wrong = await submit(session, "/app/security/totp/enable", { code: "000000" });
    const wrongPage = await wrong.text();
    expect([wrong.status, wrongPage]).toEqual([422, expect.stringContaining("The code is wrong")]);
    expect(wrongPage).not.toContain(secret.slice(0, 4));
    const enabled = await submit(session, "/app/security/totp/enable", { code: await codeOf(secret, -1) });
    const codes = (await enabled.text()).match(/<li>[A-Z2-7]{4}(-[A-Z2-7]{4}){3}<\/li>/g) ?? [];
    expect([enabled.status, codes.length]).toEqual([200, 10]);
    const on = await (await session.get("/app/security")).text();
    expect(on).toContain("10 recovery codes are left");
    expect(on).not.toContain(codes[0]?.slice(4, 8));
    expect((await submit(session, "/app/security/totp/setup")).status).toBe(409);
    expect((await submit(session, "/app/security/totp/disable", { code: "000000" })).status).toBe(422);
    const off = await submit(session, "/app/security/totp/disable", { code: await codeOf(secret) });
    expect([off.status, off.headers.get("Location")]).toEqual([303, "/app/security?done=totp-off"]);
    expect(await (await session.get("/app/security")).text()).toContain("Set up");
  });
});

describe("a page", () => {
  it("counts against the limit of requests of its session", async () => {
    const limited = apiOn({ REQUEST_RATE_LIMIT: env.TEST_REQUEST_RATE_LIMIT }, null);
    const headers = { Cookie: `session=${session.tokens.accessToken}` };
    const statuses: number[] = [];
    // The minute may change once meanwhile.
    while (statuses.length < 41 && statuses.at(-1) !== 429)
      statuses.push((await limited.get("/app/grants", headers)).status);
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200));
    expect(statuses.at(-1)).toBe(429);
  });
});
