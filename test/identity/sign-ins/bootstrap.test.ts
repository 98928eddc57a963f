import { afterAll, beforeAll, expect, it } from "vitest";
import { signAccessToken } from "../../../src/access/sessions/access-token.ts";
import { database } from "../../support/databases.ts";
import { browser } from "../../support/sign-ins.ts";
import { apiWith, testContext } from "../../support/workspace.ts";

/** Calls the endpoint of `npm run bootstrap` as the command does. */
async function bootstrap(email: string, settings: Record<string, unknown> = {}): Promise<Response> {
  const { token } = await signAccessToken(testContext(settings), "bootstrap", { sub: email, sid: "-", wid: "-" });
  return apiWith(null).post("/auth/bootstrap", undefined, { Authorization: `Bearer ${token}` });
}

const admins: string[] = [];

// The tests of this file share the database with no other file that has a platform admin.
beforeAll(async () => {
  const results = await database.rows<{ id: string }>("SELECT id FROM users WHERE is_platform_admin = 1");
  admins.push(...results.map(({ id }) => id));
  await database.run("UPDATE users SET is_platform_admin = 0");
});

afterAll(async () => {
  await database.run("UPDATE users SET is_platform_admin = 0");
});

it("refuses a request that is not signed with a master key", async () => {
  const email = `${crypto.randomUUID()}@example.org`;
  expect((await bootstrap(email, { MASTER_KEYS: `1:${btoa("x".repeat(32))}` })).status).toBe(401);
  expect((await apiWith(null).post("/auth/bootstrap", undefined)).status).toBe(401);
  const { token } = await signAccessToken(testContext(), "session", { sub: email, sid: "-", wid: "-" });
  const asSession = await apiWith(null).post("/auth/bootstrap", undefined, { Authorization: `Bearer ${token}` });
  expect(asSession.status).toBe(401);
});

it("makes one owner, workspace and platform admin of fifty parallel calls, and refuses after that", async () => {
  const emails = Array.from({ length: 50 }, () => `${crypto.randomUUID()}@example.org`);
  const responses = await Promise.all(emails.map((email) => bootstrap(email)));
  const statuses = responses.map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, ...Array<number>(49).fill(409)]);
  const first = responses.find(({ status }) => status === 201);
  const { sign_in_url } = (await first?.json<{ sign_in_url: string }>()) ?? { sign_in_url: "" };
  const page = browser();
  expect((await page.post(new URL(sign_in_url).pathname)).headers.get("Location")).toBe("/app");
  const me = await apiWith(null).get("/v1/me", { Cookie: `session=${page.jar.session}` });
  expect(await me.json()).toMatchObject({
    role: "owner",
    authentication: { method: "session", is_platform_admin: true },
  });
  const results = await database.rows(
    "SELECT u.email FROM users u JOIN memberships m ON m.user_id = u.id WHERE u.email IN (SELECT value FROM json_each(?1))",
    [JSON.stringify(emails)],
  );
  expect(results).toHaveLength(1);
  const second = await bootstrap(`${crypto.randomUUID()}@example.org`);
  expect(second.status).toBe(409);
  expect(await second.json()).toEqual({ detail: expect.stringContaining("npm run admin -- sign-in-link") });
});
