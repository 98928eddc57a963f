import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { endGrant } from "../../../src/identity/oauth/grants.ts";
import { database } from "../../support/databases.ts";
import { expectSince } from "../../support/expect-since.ts";
import { aClient, aCode, aGrant, aVerifier, ISSUER, postForm, type Tokens, workerFetch } from "../../support/oauth.ts";
import { runMainRetention } from "../../support/retention.ts";
import { aSession } from "../../support/sessions.ts";
import { aMember, apiWith, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";

const MINUTE = 60_000;

afterEach(() => void vi.useRealTimers());

const workspace = perSuite(aWorkspace);

const errorOf = async (response: Response) => (await response.json<{ error: string }>()).error;
const refresh = (clientId: string, token: string, more: Record<string, string> = {}) =>
  postForm("/oauth/token", { grant_type: "refresh_token", client_id: clientId, refresh_token: token, ...more });
const at = (now: number) => testContext({}, () => now);
const rowsOf = async (table: string, grantId: string) =>
  (await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE grant_id = ?1`).bind(grantId).first<number>("n")) ??
  0;

describe("an authorization code", () => {
  it("gives tokens to one of fifty parallel redemptions, and its reuse ends the grant", async () => {
    const { fields } = await aCode(workspace);
    const responses = await Promise.all(Array.from({ length: 50 }, () => postForm("/oauth/token", fields)));
    const successes = responses.filter(({ status }) => status === 200);
    expect(successes).toHaveLength(1);
    for (const response of responses.filter((one) => !successes.includes(one)))
      expect([response.status, await errorOf(response)]).toEqual([400, "invalid_grant"]);
    const { access_token } = (await successes[0]?.json<Tokens>()) ?? { access_token: "" };
    expect((await apiWith(access_token).get("/v1/me")).status).toBe(401);
  });

  it("expires after 60 seconds, and its grant with it", async () => {
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now });
    const fresh = await aCode(workspace, { ctx: at(now - MINUTE + 1) });
    expect((await postForm("/oauth/token", fresh.fields)).status).toBe(200);
    const stale = await aCode(workspace, { ctx: at(now - MINUTE) });
    expect(await errorOf(await postForm("/oauth/token", stale.fields))).toBe("invalid_grant");
  });

  it("is worth nothing after the user has left the workspace, or the grant was ended", async () => {
    const member = { ...workspace, ...(await aMember(workspace, "member")) };
    const left = await aCode(member);
    await database.run("DELETE FROM memberships WHERE user_id = ?1", [member.userId]);
    expect(await errorOf(await postForm("/oauth/token", left.fields))).toBe("invalid_grant");
    const ended = await aCode(workspace);
    const session = await aSession(workspace);
    const [grant] = await (await session.get("/v1/oauth/grants")).json<{ id: string }[]>();
    expect((await session.call("DELETE", `/v1/oauth/grants/${grant?.id}`)).status).toBe(204);
    expect(await errorOf(await postForm("/oauth/token", ended.fields))).toBe("invalid_grant");
  });
});

describe("an access token", () => {
  it("acts for the user with the granted scopes, reduced to the current role", async () => {
    const member = { ...workspace, ...(await aMember(workspace, "admin")) };
    const grant = await aGrant(member, { scopes: ["domains:manage", "emails:view"] });
    expect(grant.tokens.scope.split(" ").sort()).toEqual(["domains:manage", "domains:view", "emails:view"]);
    expect((await grant.post("/v1/domains/", { name: `oauth.${workspace.domain}` })).status).toBe(201);
    await database.run("UPDATE memberships SET role = 'member' WHERE user_id = ?1", [member.userId]);
    expect((await grant.post("/v1/domains/", { name: `two.${workspace.domain}` })).status).toBe(403);
    expect((await grant.get("/v1/domains/")).status).toBe(200);
    const refreshed = await (await refresh(grant.client.id, grant.tokens.refresh_token)).json<Tokens>();
    expect(refreshed.scope.split(" ").sort()).toEqual(["domains:view", "emails:view"]);
  });

  it("is told which scope is missing", async () => {
    const grant = await aGrant(workspace, { scopes: ["emails:view"] });
    const response = await grant.post("/v1/emails/validate", {});
    expect([response.status, await response.json()]).toEqual([403, { detail: "Missing scope: emails:send" }]);
    expect(response.headers.get("WWW-Authenticate")).toBe(
      `Bearer resource_metadata="${ISSUER}/.well-known/oauth-protected-resource", error="insufficient_scope", scope="emails:send"`,
    );
  });

  it("creates and reads no credentials, whatever its scopes", async () => {
    const grant = await aGrant(workspace, { scopes: ["team:manage", "domains:manage"] });
    const refusal = { detail: "An OAuth token cannot create or read credentials" };
    const { id } = await workspace.create("/v1/api-keys/", { name: "A key" });
    for (const response of [
      await grant.get("/v1/api-keys/"),
      await grant.post("/v1/api-keys/", { name: "A key that would outlive the grant" }),
      await grant.post(`/v1/api-keys/${id}/rotate`, undefined),
    ]) {
      expect([response.status, await response.json()]).toEqual([403, refusal]);
      expect(response.headers.has("WWW-Authenticate")).toBe(false);
    }
    const slack = { settings: { slack_webhook_url: null } };
    expect((await grant.call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, slack)).status).toBe(403);
    expect((await grant.call("DELETE", `/v1/api-keys/${id}`)).status).toBe(204);
    for (const path of ["/v1/oauth/grants", "/v1/sessions/"]) expect((await grant.get(path)).status).toBe(403);
  });

  it("lives 15 minutes", async () => {
    const code = await aCode(workspace);
    const start = Date.now();
    await postForm("/oauth/token", code.fields);
    const { expires_at: expiresAt } = (await database.row<{ expires_at: number }>(
      "SELECT t.expires_at FROM oauth_access_tokens t JOIN oauth_grants g ON g.id = t.grant_id WHERE g.client_id = ?1",
      [code.client.id],
    )) ?? { expires_at: 0 };
    expectSince(start, expiresAt - 15 * MINUTE);
    const { tokens } = await aGrant(workspace);
    await database.run("UPDATE oauth_access_tokens SET expires_at = ?1", [Date.now() - 1]);
    const response = await apiWith(tokens.access_token).get("/v1/me");
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
  });

  it("ends with its grant, the membership and the workspace, from the next request on", async () => {
    const endings = [
      "DELETE FROM oauth_grants WHERE workspace = ?1",
      "UPDATE oauth_grants SET expires_at = 1 WHERE workspace = ?1",
      "DELETE FROM memberships WHERE workspace = ?1",
      "UPDATE workspaces SET deleted_at = 1 WHERE number = ?1",
    ];
    for (const sql of endings) {
      const other = await aWorkspace();
      const grant = await aGrant(other);
      expect((await grant.get("/v1/me")).status).toBe(200);
      await env.DB.prepare(sql).bind(other.workspaceNumber).run();
      expect((await grant.get("/v1/me")).status, sql).toBe(401);
      expect(await errorOf(await refresh(grant.client.id, grant.tokens.refresh_token)), sql).toBe("invalid_grant");
    }
  });

  it("is deleted with a workspace that is deleted", async () => {
    const other = await aWorkspace();
    const grant = await aGrant(other);
    expect((await other.call("DELETE", `/v1/workspaces/${other.workspaceId}`)).status).toBe(204);
    expect((await grant.get("/v1/me")).status).toBe(401);
  });
});

describe("kinds of tokens", () => {
  it("cannot be swapped", async () => {
    const { tokens, client, fields } = await aGrant(workspace);
    const session = await aSession(workspace);
    const { accessToken, refreshToken } = session.tokens;
    for (const token of [tokens.refresh_token, fields.code, accessToken, refreshToken])
      expect((await apiWith(token).get("/v1/me")).status).toBe(401);
    for (const cookie of [tokens.access_token, tokens.refresh_token, workspace.apiKey]) {
      const headers = { Cookie: `session=${cookie}; refresh=${cookie}`, Origin: "http://api.test" };
      expect((await apiWith(null).get("/v1/me", headers)).status).toBe(401);
      expect((await apiWith(null).post("/auth/refresh", undefined, headers)).status).toBe(401);
    }
    for (const token of [tokens.access_token, refreshToken, workspace.apiKey, fields.code])
      expect(await errorOf(await refresh(client.id, token))).toBe("invalid_grant");
    for (const code of [tokens.refresh_token, tokens.access_token, refreshToken])
      expect(await errorOf(await postForm("/oauth/token", { ...fields, code }))).toBe("invalid_grant");
    expect((await apiWith(tokens.access_token).get("/v1/me")).status).toBe(200);
    expect((await session.get("/v1/me")).status).toBe(200);
  });

  it("an edited access token is refused", async () => {
    const { tokens } = await aGrant(workspace);
    const { access_token: token } = tokens;
    for (const edited of [`${token}a`, token.slice(0, -1), `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`])
      expect((await apiWith(edited).get("/v1/me")).status).toBe(401);
  });
});

describe("a refresh token", () => {
  it("has one successor, however many ask within 30 seconds", async () => {
    const { tokens, client } = await aGrant(workspace);
    const responses = await Promise.all(Array.from({ length: 20 }, () => refresh(client.id, tokens.refresh_token)));
    const received = await Promise.all(responses.map((response) => response.json<Tokens>()));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(received.map(({ refresh_token }) => refresh_token)).size).toBe(1);
    expect(new Set(received.map(({ access_token }) => access_token)).size).toBe(20);
    expect((await refresh(client.id, received[0]?.refresh_token ?? "")).status).toBe(200);
  });

  it("ends the grant when it is used again after 30 seconds", async () => {
    const { tokens, client } = await aGrant(workspace);
    const next = await (await refresh(client.id, tokens.refresh_token)).json<Tokens>();
    await database.run("UPDATE refresh_tokens SET used_at = used_at - 30001 WHERE used_at IS NOT NULL");
    expect(await errorOf(await refresh(client.id, tokens.refresh_token))).toBe("invalid_grant");
    expect(await errorOf(await refresh(client.id, next.refresh_token))).toBe("invalid_grant");
    expect((await apiWith(next.access_token).get("/v1/me")).status).toBe(401);
  });

  it("gives fewer scopes on request, and never more than were granted", async () => {
    const { tokens, client } = await aGrant(workspace, { scopes: ["emails:view", "contacts:manage"] });
    const more = await refresh(client.id, tokens.refresh_token, { scope: "emails:view emails:send" });
    expect(await errorOf(more)).toBe("invalid_scope");
    const fewer = await (await refresh(client.id, tokens.refresh_token, { scope: "contacts:view" })).json<Tokens>();
    expect(fewer.scope).toBe("contacts:view");
    expect((await apiWith(fewer.access_token).get("/v1/emails/")).status).toBe(403);
    const all = await (await refresh(client.id, fewer.refresh_token)).json<Tokens>();
    expect(all.scope.split(" ").sort()).toEqual(["contacts:manage", "contacts:view", "emails:view"]);
  });
});

describe("POST /oauth/token", () => {
  it("returns every invalid request as RFC 6749 5.2 says", async () => {
    const { fields } = await aCode(workspace);
    const { verifier } = await aVerifier();
    const requests: [Record<string, string> | [string, string][], string][] = [
      [{}, "invalid_request"],
      [{ ...fields, grant_type: "password" }, "unsupported_grant_type"],
      [{ ...fields, grant_type: "client_credentials" }, "unsupported_grant_type"],
      [{ ...fields, client_id: "" }, "invalid_request"],
      [{ ...fields, client_id: "unknown" }, "invalid_grant"],
      [{ ...fields, code: "\u0000" }, "invalid_grant"],
      [{ ...fields, code_verifier: `${verifier}\r\n` }, "invalid_grant"],
      [[...Object.entries(fields), ["code", fields.code]], "invalid_request"],
      [{ grant_type: "refresh_token", client_id: fields.client_id }, "invalid_request"],
    ];
    for (const [form, error] of requests) {
      const response = await postForm("/oauth/token", form);
      expect([response.status, await errorOf(response)], JSON.stringify(form)).toEqual([400, error]);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
    }
    const json = { method: "POST", body: JSON.stringify(fields), headers: { "Content-Type": "application/json" } };
    expect(await errorOf(await workerFetch(`${ISSUER}/oauth/token`, json))).toBe("invalid_request");
    const huge = await postForm("/oauth/token", { ...fields, padding: "x".repeat(20_000) });
    expect([huge.status, await errorOf(huge)]).toEqual([400, "invalid_request"]);
    expect((await postForm("/oauth/token", fields)).status).toBe(200);
  });
});

describe("POST /oauth/revoke", () => {
  const revoke = (clientId: string, token: string) =>
    postForm("/oauth/revoke", { client_id: clientId, token, token_type_hint: "nonsense" });

  it("revokes an access token alone, and with a refresh token the grant", async () => {
    const { tokens, client } = await aGrant(workspace);
    expect((await revoke(client.id, tokens.access_token)).status).toBe(200);
    expect((await apiWith(tokens.access_token).get("/v1/me")).status).toBe(401);
    const next = await (await refresh(client.id, tokens.refresh_token)).json<Tokens>();
    expect((await revoke(client.id, next.refresh_token)).status).toBe(200);
    expect((await revoke(client.id, next.refresh_token)).status).toBe(200);
    expect((await apiWith(next.access_token).get("/v1/me")).status).toBe(401);
    expect(await errorOf(await refresh(client.id, next.refresh_token))).toBe("invalid_grant");
  });

  it("revokes nothing of another client, and returns 200 to an unknown token", async () => {
    const { tokens } = await aGrant(workspace);
    const other = await aClient();
    for (const token of [tokens.access_token, tokens.refresh_token])
      expect((await revoke(other.id, token)).status).toBe(400);
    expect((await apiWith(tokens.access_token).get("/v1/me")).status).toBe(200);
    for (const token of ["unknown", workspace.apiKey, `svc_a_${"x".repeat(43)}`])
      expect((await revoke(other.id, token)).status).toBe(200);
    expect((await workspace.get("/v1/me")).status).toBe(200);
    expect((await postForm("/oauth/revoke", { token: tokens.access_token })).status).toBe(400);
  });
});

describe("grants of a user", () => {
  it("are listed newest first with a cursor, and end from the next request on, as the audit log says", async () => {
    const user = { ...workspace, ...(await aMember(workspace, "member")) };
    const [first, second] = [await aGrant(user), await aGrant(user, { scopes: ["contacts:view"] })];
    await aGrant(workspace);
    const session = await aSession(user);
    const list = async (query = "") => (await session.get(`/v1/oauth/grants${query}`)).json<{ id: string }[]>();
    const grants = await list();
    expect(grants).toMatchObject([
      { client: { id: second.client.id, name: "An assistant" }, scopes: ["contacts:view"] },
      { client: { id: first.client.id }, workspace: { id: workspace.workspaceId }, refreshed_at: expect.any(String) },
    ]);
    expect(await list("?limit=1")).toEqual([grants[0]]);
    expect(await list(`?after=${grants[0]?.id}`)).toEqual([grants[1]]);
    const other = await aSession(workspace);
    expect((await other.call("DELETE", `/v1/oauth/grants/${grants[0]?.id}`)).status).toBe(404);
    expect((await session.call("DELETE", `/v1/oauth/grants/${grants[0]?.id}`)).status).toBe(204);
    expect((await session.call("DELETE", `/v1/oauth/grants/${grants[0]?.id}`)).status).toBe(404);
    expect((await second.get("/v1/me")).status).toBe(401);
    expect(await errorOf(await refresh(second.client.id, second.tokens.refresh_token))).toBe("invalid_grant");
    expect((await first.get("/v1/me")).status).toBe(200);
    expect(await list()).toEqual([grants[1]]);
    const results = await database.rows<{ action: string }>(
      "SELECT action FROM audit_log WHERE target_id = ?1 AND workspace = ?2 ORDER BY id",
      [grants[0]?.id, workspace.workspaceNumber],
    );
    expect(results.map(({ action }) => action)).toEqual(["grant.created", "grant.revoked"]);
  });
});

describe("retention", () => {
  it("deletes expired grants with their codes and tokens, and clients that were never used", async () => {
    const { tokens, client } = await aGrant(workspace);
    const [unused, old] = [await aClient(), await aClient(undefined, at(Date.now() - 24 * 60 * MINUTE))];
    const grant = await database.value<string>("SELECT id FROM oauth_grants WHERE client_id = ?1", [client.id]);
    await runMainRetention(testContext());
    expect((await apiWith(tokens.access_token).get("/v1/me")).status).toBe(200);
    await database.run("UPDATE oauth_grants SET expires_at = 1 WHERE id = ?1", [grant]);
    await runMainRetention(testContext());
    expect(await rowsOf("oauth_codes", grant ?? "")).toBe(0);
    expect(await rowsOf("oauth_access_tokens", grant ?? "")).toBe(0);
    const results = await database.rows<{ id: string }>("SELECT id FROM oauth_clients WHERE id IN (?1, ?2, ?3)", [
      unused.id,
      old.id,
      client.id,
    ]);
    expect(results.map(({ id }) => id).sort()).toEqual([unused.id, client.id].sort());
    await endGrant(testContext(), grant ?? "");
  });

  it("no table holds a code or token in clear", async () => {
    const { tokens, fields } = await aGrant(workspace);
    for (const table of ["oauth_codes", "oauth_access_tokens", "refresh_tokens", "oauth_grants"]) {
      const dump = JSON.stringify((await env.DB.prepare(`SELECT * FROM ${table}`).all()).results);
      for (const secret of [tokens.access_token, tokens.access_token.slice(6), tokens.refresh_token, fields.code])
        expect(dump).not.toContain(secret);
    }
  });
});
