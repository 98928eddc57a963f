import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { refreshSession } from "../../../src/access/sessions/refresh.ts";
import { GRACE_MS, REFRESH_TOKEN_TTL_MS } from "../../../src/access/tokens/rules.ts";
import { database } from "../../support/databases.ts";
import { apiWithCookies, aSession, cookiesOf } from "../../support/sessions.ts";
import { apiWith, aWorkspace, testContext } from "../../support/workspace.ts";

const at = (ms: number) => testContext({}, () => ms);

async function countTokens(sessionId: string): Promise<number> {
  const sql = "SELECT count(*) AS n FROM refresh_tokens WHERE family = ?1";
  return (await database.prepare(sql).bind(sessionId).first<number>("n")) ?? 0;
}

afterEach(() => void vi.useRealTimers());

describe("POST /auth/refresh", () => {
  it("sets both cookies HttpOnly, Secure and SameSite=Strict, each with the lifetime of its token", async () => {
    const session = await aSession(await aWorkspace());
    // A whole second, as the times in tokens are.
    const now = Math.ceil(Date.now() / 1_000) * 1_000;
    vi.useFakeTimers({ toFake: ["Date"], now });
    const response = await session.post("/auth/refresh", undefined);
    expect(response.status).toBe(200);
    const lines = response.headers.getSetCookie();
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
      expect(line).not.toMatch(/Domain/i);
      const age = Number(/Max-Age=(\d+)/.exec(line)?.[1]);
      expect(age).toBe(line.startsWith("session=") ? 3_600 : 30 * 24 * 3_600);
    }
    const { session: access = "", refresh = "" } = cookiesOf(response);
    expect((await apiWithCookies({ session: access }).get("/v1/me")).status).toBe(200);
    expect(refresh).not.toBe(session.tokens.refreshToken);
    const { expires_at } = await response.json<{ expires_at: string }>();
    expect(Date.parse(expires_at)).toBe(now + 3_600_000);
  });

  it("gives one successor to fifty parallel uses", async () => {
    const session = await aSession(await aWorkspace());
    const responses = await Promise.all(Array.from({ length: 50 }, () => session.post("/auth/refresh", undefined)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map((result) => cookiesOf(result).refresh)).size).toBe(1);
    expect(await countTokens(session.sessionId)).toBe(2);
  });

  it("returns 401 and deletes the cookies without a token, or with an unknown one", async () => {
    for (const cookies of [{}, { refresh: "unknown" }, { refresh: "" }]) {
      const response = await apiWithCookies(cookies as Record<string, string>).post("/auth/refresh", undefined);
      expect(response.status).toBe(401);
      expect(cookiesOf(response)).toEqual({ session: "", refresh: "" });
    }
  });

  it("returns 403 to a page of another site", async () => {
    const session = await aSession(await aWorkspace());
    const headers: Record<string, string>[] = [
      { Origin: "https://attacker.example" },
      { Origin: "null" },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
    ];
    for (const header of headers) expect((await session.post("/auth/refresh", undefined, header)).status).toBe(403);
    expect(await countTokens(session.sessionId)).toBe(1);
  });
});

describe("a refresh token", () => {
  it("returns the same successor for 30 s after its first use, and ends the session after that", async () => {
    const start = Date.now();
    const session = await aSession(await aWorkspace(), { ctx: at(start) });
    const use = (ms: number) => refreshSession(at(start + ms), session.tokens.refreshToken);
    const first = await use(0);
    expect(first?.refreshToken).toBeTruthy();
    expect((await use(GRACE_MS - 1))?.refreshToken).toBe(first?.refreshToken);
    expect((await use(GRACE_MS - 1))?.refreshExpiresAt).toBe(first?.refreshExpiresAt);
    expect(await use(GRACE_MS)).toBeNull();
    expect(await countTokens(session.sessionId)).toBe(0);
    expect(await refreshSession(at(start + GRACE_MS), first?.refreshToken ?? "")).toBeNull();
    expect((await session.get("/v1/me")).status).toBe(401);
  });

  it("returns its successor although that was used too", async () => {
    const start = Date.now();
    const session = await aSession(await aWorkspace(), { ctx: at(start) });
    const first = await refreshSession(at(start), session.tokens.refreshToken);
    const second = await refreshSession(at(start + 1_000), first?.refreshToken ?? "");
    const late = await refreshSession(at(start + 2_000), session.tokens.refreshToken);
    expect(late?.refreshToken).toBe(first?.refreshToken);
    expect(await refreshSession(at(start + 3_000), second?.refreshToken ?? "")).not.toBeNull();
    expect((await session.get("/v1/me")).status).toBe(200);
  });

  it("expires after 30 days, to the millisecond, and each successor after its own 30 days", async () => {
    const start = Date.now();
    const session = await aSession(await aWorkspace(), { ctx: at(start) });
    expect(REFRESH_TOKEN_TTL_MS).toBe(30 * 24 * 3_600_000);
    expect(await refreshSession(at(start + REFRESH_TOKEN_TTL_MS), session.tokens.refreshToken)).toBeNull();
    const last = start + REFRESH_TOKEN_TTL_MS - 1;
    const renewed = await refreshSession(at(last), session.tokens.refreshToken);
    expect(renewed?.refreshExpiresAt).toBe(last + REFRESH_TOKEN_TTL_MS);
    expect(await refreshSession(at(last + REFRESH_TOKEN_TTL_MS - 1), renewed?.refreshToken ?? "")).not.toBeNull();
  });

  it("gives the same successor when a master key is added between two uses", async () => {
    const session = await aSession(await aWorkspace());
    const first = await refreshSession(testContext(), session.tokens.refreshToken);
    const keys = `${(env as unknown as Record<string, string>).MASTER_KEYS},2:${btoa("z".repeat(32))}`;
    const second = await refreshSession(testContext({ MASTER_KEYS: keys }), session.tokens.refreshToken);
    expect(second?.refreshToken).toBe(first?.refreshToken);
  });

  it("is stored as a keyed hash only", async () => {
    const session = await aSession(await aWorkspace());
    const first = await refreshSession(testContext(), session.tokens.refreshToken);
    const results = await database.rows("SELECT * FROM refresh_tokens WHERE family = ?1", [session.sessionId]);
    expect(results).toHaveLength(2);
    for (const token of [session.tokens.refreshToken, first?.refreshToken ?? "none"])
      expect(JSON.stringify(results)).not.toContain(token);
  });

  it("keeps the active workspace, and moves to the oldest one when the user left it", async () => {
    const [own, other] = [await aWorkspace(), await aWorkspace()];
    const session = await aSession(own);
    await database.run("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'member', ?3)", [
      other.workspaceNumber,
      own.userId,
      Date.now() + 1,
    ]);
    const switched = await session.post("/auth/workspace", { org_id: other.workspaceId });
    expect(switched.status).toBe(200);
    const workspaceAfter = async (token: string) => {
      const tokens = await refreshSession(testContext(), token);
      const me = await apiWithCookies({ session: tokens?.accessToken ?? "" }).get("/v1/me");
      const { workspace } = await me.json<{ workspace: { id: string } }>();
      return { id: workspace.id, token: tokens?.refreshToken ?? "" };
    };
    const first = await workspaceAfter(session.tokens.refreshToken);
    expect(first.id).toBe(other.workspaceId);
    await database.run("DELETE FROM memberships WHERE workspace = ?1 AND user_id = ?2", [
      other.workspaceNumber,
      own.userId,
    ]);
    expect((await workspaceAfter(first.token)).id).toBe(own.workspaceId);
  });

  it("of an ended session is refused", async () => {
    const session = await aSession(await aWorkspace());
    expect((await session.post("/auth/logout", undefined)).status).toBe(204);
    expect((await session.post("/auth/refresh", undefined)).status).toBe(401);
    expect((await apiWith(null).post("/auth/refresh", undefined)).status).toBe(401);
  });
});
