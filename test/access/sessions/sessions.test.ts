import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { sourceOf } from "../../../src/http/same-origin.ts";
import type { SessionOut } from "../../../src/identity/sign-ins/sessions/schema.ts";
import { database } from "../../support/databases.ts";
import { apiWithCookies, aSession, cookiesOf } from "../../support/sessions.ts";
import { aMember, apiWith, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";

const workspace = perSuite(aWorkspace);

const listed = async (api: { get(path: string): Promise<Response> }, query = "") =>
  (await (await api.get(`/v1/sessions/${query}`)).json<SessionOut[]>()).map(({ id }) => id);

describe("a session", () => {
  it("acts with the scopes of the current role, from the next request on", async () => {
    const other = await aWorkspace();
    const session = await aSession(other);
    expect((await session.get("/v1/api-keys/")).status).toBe(200);
    expect((await session.post("/v1/domains/", { name: `a.${other.domain}` })).status).toBe(201);
    await database.run("UPDATE memberships SET role = 'member' WHERE workspace = ?1", [other.workspaceNumber]);
    const refused = await session.post("/v1/domains/", { name: `b.${other.domain}` });
    expect(await refused.json()).toEqual({ detail: "Missing scope: domains:manage" });
  });

  it("ends with the membership, the workspace and the session row, from the next request on", async () => {
    const endings = [
      "DELETE FROM memberships WHERE workspace = ?1",
      "UPDATE workspaces SET deleted_at = 1 WHERE number = ?1",
      "DELETE FROM sessions WHERE workspace = ?1",
      "UPDATE sessions SET expires_at = 1 WHERE workspace = ?1",
    ];
    for (const sql of endings) {
      const other = await aWorkspace();
      const session = await aSession(other);
      expect((await session.get("/v1/me")).status).toBe(200);
      await database.prepare(sql).bind(other.workspaceNumber).run();
      expect((await session.get("/v1/me")).status, sql).toBe(401);
    }
  });

  it("is reported by /v1/me", async () => {
    const session = await aSession(workspace);
    const me = await (await session.get("/v1/me")).json();
    expect(me).toMatchObject({
      user: { id: workspace.userId },
      role: "owner",
      authentication: {
        method: "session",
        session_id: session.sessionId,
        expires_at: expect.stringMatching(/Z$/),
        // The sign-in proved the identity.
        reauthenticated_at: expect.stringMatching(/Z$/),
        is_platform_admin: false,
      },
    });
  });

  it("creates an API key that outlives it, and none after it has ended", async () => {
    const session = await aSession(workspace);
    const { key } = await (await session.post("/v1/api-keys/", { name: "From a session" })).json<{ key: string }>();
    await session.post("/auth/logout", undefined);
    expect((await apiWith(key).get("/v1/me")).status).toBe(200);
    expect((await session.post("/v1/api-keys/", { name: "Too late" })).status).toBe(401);
  });

  it("sends an email", async () => {
    const session = await aSession(workspace);
    const mail = { from_: { email: workspace.mailbox }, to: [{ email: "a@simulator.test" }], subject: "S", text: "T" };
    expect((await session.post("/v1/emails/", mail)).status).toBe(202);
  });

  it("gives way to an Authorization header", async () => {
    const other = await aWorkspace();
    const session = await aSession(workspace);
    const me = await session.get("/v1/me", { Authorization: `Bearer ${other.apiKey}` });
    expect(await me.json()).toMatchObject({ workspace: { id: other.workspaceId } });
    expect((await session.get("/v1/me", { Authorization: "Bearer wrong" })).status).toBe(401);
  });
});

describe("a cookie call that changes state", () => {
  it("is refused without a same-origin Origin or Sec-Fetch-Site", async () => {
    const session = await aSession(workspace);
    const bare = apiWith(null);
    const cookie = { Cookie: `session=${session.tokens.accessToken}` };
    const refused: Record<string, string>[] = [
      {},
      { Origin: "null" },
      { Origin: "https://attacker.example" },
      { Origin: "http://api.test.attacker.example" },
      { Origin: "http://api.test:8080" },
      { Origin: "http://api.test", "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { "Sec-Fetch-Site": "none" },
    ];
    for (const headers of refused) {
      const response = await bare.post("/v1/api-keys/", { name: "Forged" }, { ...cookie, ...headers });
      expect(response.status, JSON.stringify(headers)).toBe(403);
      expect(
        (await bare.call("DELETE", `/v1/sessions/${session.sessionId}`, undefined, { ...cookie, ...headers })).status,
      ).toBe(403);
    }
    const accepted: Record<string, string>[] = [
      { Origin: "http://api.test" },
      { Origin: testContext().settings.publicUrl },
      { "Sec-Fetch-Site": "same-origin" },
    ];
    for (const headers of accepted)
      expect((await bare.post("/v1/api-keys/", { name: "Mine" }, { ...cookie, ...headers })).status).toBe(201);
    expect((await bare.get("/v1/me", cookie)).status).toBe(200);
  });

  it("is judged by Sec-Fetch-Site first", () => {
    const own = ["https://mail.example"];
    expect(sourceOf({ origin: "https://mail.example", secFetchSite: "cross-site" }, own)).toBe("cross");
    expect(sourceOf({ origin: "null", secFetchSite: "same-origin" }, own)).toBe("same");
    expect(sourceOf({ origin: "https://mail.example", secFetchSite: undefined }, own)).toBe("same");
    expect(sourceOf({ origin: undefined, secFetchSite: undefined }, own)).toBe("unknown");
  });
});

describe("sessions of a user", () => {
  it("are listed newest first, with a cursor, without those of others and ended ones", async () => {
    const user = { ...workspace, ...(await aMember(workspace, "member")) };
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.unshift((await aSession(user)).sessionId);
    const session = await aSession(user);
    const expired = await aSession(user);
    await database.run("UPDATE sessions SET expires_at = 1 WHERE id = ?1", [expired.sessionId]);
    await aSession(workspace);
    expect(await listed(session)).toEqual([session.sessionId, ...ids]);
    const page = await session.get("/v1/sessions/?limit=2");
    expect(page.headers.get("Link")).toContain(`after=${ids[0]}`);
    expect(await listed(session, `?limit=2&after=${ids[0]}`)).toEqual(ids.slice(1));
    const [first] = await (await session.get("/v1/sessions/")).json<SessionOut[]>();
    expect(first).toMatchObject({ is_current: true, ip: "192.0.2.7", user_agent: "A browser", method: "magic_link" });
  });

  it("can be ended one by one, by that user only", async () => {
    const colleague = { ...workspace, ...(await aMember(workspace, "owner")) };
    const [mine, other, foreign] = [await aSession(workspace), await aSession(workspace), await aSession(colleague)];
    expect((await mine.call("DELETE", `/v1/sessions/${foreign.sessionId}`)).status).toBe(404);
    expect((await foreign.get("/v1/me")).status).toBe(200);
    expect((await mine.call("DELETE", `/v1/sessions/${other.sessionId}`)).status).toBe(204);
    expect((await mine.call("DELETE", `/v1/sessions/${other.sessionId}`)).status).toBe(404);
    expect((await other.get("/v1/me")).status).toBe(401);
    expect((await other.post("/auth/refresh", undefined)).status).toBe(401);
    expect((await mine.get("/v1/me")).status).toBe(200);
  });
});

describe("POST /auth/logout", () => {
  it("ends the session and deletes the cookies", async () => {
    const session = await aSession(workspace);
    const response = await session.post("/auth/logout", undefined);
    expect(response.status).toBe(204);
    expect(cookiesOf(response)).toEqual({ session: "", refresh: "" });
    expect((await session.get("/v1/me")).status).toBe(401);
  });

  it("ends a session whose access token has expired, by its refresh token", async () => {
    const session = await aSession(workspace);
    const stale = apiWithCookies({ session: "expired", refresh: session.tokens.refreshToken });
    expect((await stale.post("/auth/logout", undefined)).status).toBe(204);
    expect((await session.get("/v1/me")).status).toBe(401);
  });

  it("returns 204 without a session, and 403 to another site", async () => {
    expect((await apiWith(null).post("/auth/logout", undefined)).status).toBe(204);
    const session = await aSession(workspace);
    const forged = await session.post("/auth/logout", undefined, { Origin: "https://attacker.example" });
    expect(forged.status).toBe(403);
    expect((await session.get("/v1/me")).status).toBe(200);
  });
});

describe("POST /auth/workspace", () => {
  it("returns 404 for a workspace that is unknown, foreign or deleted, and 422 without one", async () => {
    const session = await aSession(workspace);
    const [foreign, deleted] = [await aWorkspace(), await aWorkspace()];
    await env.DB.batch([
      database
        .prepare("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'owner', 1)")
        .bind(deleted.workspaceNumber, workspace.userId),
      database.prepare("UPDATE workspaces SET deleted_at = 1 WHERE number = ?1").bind(deleted.workspaceNumber),
    ]);
    const responses = new Set<string>();
    for (const org_id of [foreign.workspaceId, deleted.workspaceId, crypto.randomUUID(), "nonsense", "\u{1F600}"]) {
      const response = await session.post("/auth/workspace", { org_id });
      responses.add(`${response.status} ${await response.text()}`);
    }
    expect([...responses]).toEqual(['404 {"detail":"Workspace not found"}']);
    for (const body of [{}, { org_id: 1 }, [], "nonsense", { org_id: "a\u0000b" }])
      expect((await session.post("/auth/workspace", body)).status).toBe(422);
    expect((await session.post("/auth/workspace", { org_id: "x".repeat(20_000) })).status).toBe(413);
    expect((await session.post("/auth/workspace", "a", { "Content-Type": "text/plain" })).status).toBe(415);
    expect(await (await session.get("/v1/me")).json()).toMatchObject({ workspace: { id: workspace.workspaceId } });
  });

  it("returns a form with a redirect to the dashboard", async () => {
    const session = await aSession(workspace);
    const response = await session.post("/auth/workspace", `org_id=${workspace.workspaceId}`, {
      "Content-Type": "application/x-www-form-urlencoded",
    });
    expect([response.status, response.headers.get("Location")]).toEqual([303, "/app"]);
  });

  it("is refused to an API key", async () => {
    const response = await workspace.post("/auth/workspace", { org_id: workspace.workspaceId });
    expect([response.status, await response.json()]).toEqual([
      403,
      { detail: "This endpoint takes a session, not an API key" },
    ]);
  });
});
