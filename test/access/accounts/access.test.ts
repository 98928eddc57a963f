import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { isApiKey, keyPrefix, newApiKey } from "../../../src/access/accounts/api-key.ts";
import { authenticateApiKey } from "../../../src/access/accounts/authenticate.ts";
import { effectiveScopes, roleScopes, scopes, serviceScopes } from "../../../src/access/accounts/scopes.ts";
import { database } from "../../support/databases.ts";
import { routeScopes } from "../../support/route-tests.ts";
import { aKey, apiWith, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";

const workspace = perSuite(aWorkspace);

describe("scopes", () => {
  it("every scope of a route can be granted and has its own description", () => {
    // A route that needs one of these takes credentials of a kind, whatever their scopes.
    const kinds: readonly string[] = ["any", "public", "session", "page", "platform_admin", ...serviceScopes];
    const needed = Object.values(routeScopes).filter((need) => !kinds.includes(need));
    expect(needed.filter((need) => !(need in scopes))).toEqual([]);
    expect(new Set(Object.values(scopes)).size).toBe(Object.keys(scopes).length);
  });

  it("manage implies view, and no other scope implies any", () => {
    for (const scope of Object.keys(scopes)) {
      const view = scope.replace(":manage", ":view");
      const expected = scope.endsWith(":manage") && view in scopes ? [view, scope] : [scope];
      expect([...effectiveScopes([scope], { role: "owner", mailboxes_only: 0 })].sort()).toEqual(expected.sort());
    }
  });

  it("* grants exactly the scopes of the role", () => {
    expect([...effectiveScopes(["*"], { role: "owner", mailboxes_only: 0 })].sort()).toEqual(
      Object.keys(scopes).sort(),
    );
    expect(effectiveScopes(["*"], { role: "admin", mailboxes_only: 0 }).size).toBe(Object.keys(scopes).length);
    const closed = ["team:manage", "domains:manage", "smtp:manage", "webhooks:manage", "mailboxes:manage"];
    const member = Object.keys(scopes).filter((scope) => !closed.includes(scope));
    expect([...effectiveScopes(["*"], { role: "member", mailboxes_only: 0 })].sort()).toEqual(member.sort());
    expect([...roleScopes.member].sort()).toEqual(member.sort());
  });

  it("a member that sees only its mailboxes has the scopes of these, and so has a row without the column", () => {
    const held = ["inbox:read", "inbox:write", "mailboxes:view"];
    for (const mailboxes_only of [1, undefined] as (0 | 1)[])
      for (const role of ["owner", "admin", "member"] as const) {
        expect([...effectiveScopes(["*"], { role, mailboxes_only })].sort()).toEqual(held);
        expect([...effectiveScopes(["inbox:read", "emails:view"], { role, mailboxes_only })]).toEqual(["inbox:read"]);
      }
  });

  it("a role limits the granted scopes, and unknown scopes grant nothing", () => {
    expect([...effectiveScopes(["team:manage", "emails:send"], { role: "member", mailboxes_only: 0 })].sort()).toEqual([
      "emails:send",
      "team:view",
    ]);
    expect(
      effectiveScopes(["emails", "emails:*", "send", "", "constructor"], { role: "owner", mailboxes_only: 0 }).size,
    ).toBe(0);
  });

  it("a changed role takes effect on the next request", async () => {
    const other = await aWorkspace();
    const held = async () => (await (await other.get("/v1/me")).json<{ scopes: string[] }>()).scopes;
    expect(await held()).toContain("team:manage");
    await database.run("UPDATE memberships SET role = 'member' WHERE workspace = ?1", [other.workspaceNumber]);
    expect(await held()).not.toContain("team:manage");
  });

  it("a key ends with the membership of its user, and with its revocation, from the next request on", async () => {
    const other = await aWorkspace();
    const key = await aKey(other);
    const api = apiWith(key);
    expect((await api.get("/v1/me")).status).toBe(200);
    await database.run("UPDATE api_keys SET revoked_at = 1 WHERE prefix = ?1", [keyPrefix(key)]);
    expect((await api.get("/v1/me")).status).toBe(401);
    expect((await other.get("/v1/me")).status).toBe(200);
    await database.run("DELETE FROM memberships WHERE workspace = ?1", [other.workspaceNumber]);
    expect((await other.get("/v1/me")).status).toBe(401);
  });
});

describe("GET /v1/me", () => {
  it("returns the user, the workspace, the role, the scopes and the authentication", async () => {
    const key = await aKey(workspace, { scopes: ["emails:view", "contacts:manage"] });
    const response = await apiWith(key).get("/v1/me");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      user: { id: workspace.userId, email: `owner@${workspace.domain}`, name: expect.any(String) },
      workspace: {
        id: workspace.workspaceId,
        name: expect.any(String),
        slug: expect.any(String),
        sending_paused: false,
      },
      role: "owner",
      scopes: ["contacts:manage", "contacts:view", "emails:view"],
      authentication: {
        method: "api_key",
        api_key_id: expect.any(String),
        api_key_prefix: keyPrefix(key),
        expires_at: null,
        domain_ids: null,
      },
    });
  });

  it("returns 200 to a restricted account, and reports paused sending", async () => {
    const other = await aWorkspace();
    await env.DB.batch([
      database.prepare("UPDATE users SET restricted_at = 1 WHERE id = ?1").bind(other.userId),
      database.prepare("UPDATE workspaces SET sending_paused_at = 1 WHERE id = ?1").bind(other.workspaceId),
    ]);
    const response = await other.get("/v1/me");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ workspace: { sending_paused: true } });
  });
});

describe("API keys", () => {
  it("are svc_k_ and 40 base62 characters, all different", () => {
    const keys = Array.from({ length: 500 }, newApiKey);
    for (const key of keys) expect(key).toMatch(/^svc_k_[0-9A-Za-z]{40}$/);
    expect(keys.filter((key) => !isApiKey(key))).toEqual([]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("have a checksum that detects every wrong character and every swapped pair", () => {
    const key = newApiKey();
    for (let at = 6; at < key.length; at++) {
      const wrong = key[at] === "x" ? "y" : "x";
      expect(isApiKey(key.slice(0, at) + wrong + key.slice(at + 1)), `character ${at}`).toBe(false);
      const [one = "", two = ""] = [key[at], key[at + 1]];
      if (one === two || two === "") continue;
      expect(isApiKey(key.slice(0, at) + two + one + key.slice(at + 2)), `pair ${at}`).toBe(false);
    }
  });

  it("are stored as a keyed hash only", async () => {
    const { apiKey } = workspace;
    const results = await database.rows("SELECT * FROM api_keys WHERE prefix = ?1", [keyPrefix(apiKey)]);
    expect(results).toHaveLength(1);
    const row = JSON.stringify(results);
    expect(row).not.toContain(apiKey);
    expect(row).not.toContain(apiKey.slice(14));
  });

  it("are found under every master key, so that existing keys work after one is added", async () => {
    const fresh = `2:${btoa("x".repeat(32))}`;
    const ctx = testContext({ MASTER_KEYS: `${(env as unknown as Record<string, string>).MASTER_KEYS},${fresh}` });
    expect((await authenticateApiKey(ctx, workspace.apiKey)).workspace.id).toBe(workspace.workspaceId);
    await expect(authenticateApiKey(testContext({ MASTER_KEYS: fresh }), workspace.apiKey)).rejects.toThrow();
  });

  it("expire to the millisecond", async () => {
    const at = Date.now() + 3_600_000;
    const key = await aKey(workspace, { expiresAt: at });
    expect(
      (
        await authenticateApiKey(
          testContext({}, () => at - 1),
          key,
        )
      ).actor.kind,
    ).toBe("api_key");
    await expect(
      authenticateApiKey(
        testContext({}, () => at),
        key,
      ),
    ).rejects.toMatchObject({ status: 401 });
  });

  it("write last_used_at at most once a minute", async () => {
    const key = await aKey(workspace);
    const start = Date.now();
    const useAt = async (at: number) => {
      const { touch } = await authenticateApiKey(
        testContext({}, () => at),
        key,
      );
      await touch?.();
      return database.value<number>("SELECT last_used_at FROM api_keys WHERE prefix = ?1", [keyPrefix(key)]);
    };
    expect(await useAt(start)).toBe(start);
    expect(await useAt(start + 59_999)).toBe(start);
    expect(await useAt(start + 60_000)).toBe(start + 60_000);
  });
});
