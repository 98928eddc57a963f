import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessTokenKind, signAccessToken } from "../../../src/access/sessions/access-token.ts";
import { database } from "../../support/databases.ts";
import { apiWithCookies } from "../../support/sessions.ts";
import { apiWith, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";

interface Reply {
  session_id: string;
  email: string;
  access_token: string;
}

/** Calls the endpoint of `npm run admin` as the command does. */
async function start(subject: string, kind: AccessTokenKind = "operator", settings: Record<string, unknown> = {}) {
  const { token } = await signAccessToken(testContext(settings), kind, { sub: subject, sid: "-", wid: "-" });
  return apiWith(null).post("/auth/operator-session", undefined, { Authorization: `Bearer ${token}` });
}

const emailOf = async (userId: string) =>
  (await database.row<{ email: string }>("SELECT email FROM users WHERE id = ?1", [userId]))?.email ?? "";

const workspace = perSuite(aWorkspace);

beforeAll(async () => {
  await database.run("UPDATE users SET is_platform_admin = (id = ?1)", [workspace.userId]);
});
afterAll(() => database.run("UPDATE users SET is_platform_admin = 0"));

describe("POST /auth/operator-session", () => {
  it("refuses a request that is not signed with a master key for this purpose", async () => {
    expect((await apiWith(null).post("/auth/operator-session", undefined)).status).toBe(401);
    expect((await start("any", "operator", { MASTER_KEYS: `1:${btoa("x".repeat(32))}` })).status).toBe(401);
    for (const kind of ["session", "bootstrap", "rotation", "smtp"] as const)
      expect((await start("any", kind)).status, kind).toBe(401);
  });

  it("starts an audited session of the named administrator, or of the first one, and no session of others", async () => {
    const email = await emailOf(workspace.userId);
    for (const subject of ["any", email, email.toUpperCase()]) {
      const response = await start(subject);
      expect(response.status).toBe(201);
      const { access_token, session_id, ...result } = await response.json<Reply>();
      expect(result.email).toBe(email);
      const session = apiWithCookies({ session: access_token });
      const [entry] = await (await session.get("/v1/admin/audit?limit=1")).json<object[]>();
      expect(entry).toMatchObject({ action: "session.started", target: { id: session_id } });
      expect((await session.call("DELETE", `/v1/sessions/${session_id}`)).status).toBe(204);
      expect((await session.get("/v1/admin/audit")).status).toBe(401);
    }
    const other = await aWorkspace();
    for (const subject of [await emailOf(other.userId), "nobody@example.org", "", "a\r\nb"])
      expect((await start(subject)).status, subject).toBe(404);
  });
});
