import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessTokenKind, signAccessToken } from "../../../src/access/sessions/access-token.ts";
import { database } from "../../support/databases.ts";
import { emailOf } from "../../support/invitations.ts";
import { browser } from "../../support/sign-ins.ts";
import { apiOn, apiWith, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";

const PATH = "/auth/operator-sign-in-link";

/** Calls the endpoint of `npm run admin -- sign-in-link` as the command does, on a service that cannot send email. */
async function ask(subject: string, kind: AccessTokenKind = "operator", settings: Record<string, unknown> = {}) {
  const { token } = await signAccessToken(testContext(settings), kind, { sub: subject, sid: "-", wid: "-" });
  const headers = { Authorization: `Bearer ${token}`, "CF-Connecting-IP": "192.0.2.9" };
  return apiOn({ SYSTEM_MAILBOX: "" }, null).post(PATH, undefined, headers);
}

const pathOf = async (response: Response) =>
  new URL((await response.json<{ sign_in_url: string }>()).sign_in_url).pathname;
const setAdmins = (ids: string[]) =>
  database.run("UPDATE users SET is_platform_admin = (id IN (SELECT value FROM json_each(?1)))", [JSON.stringify(ids)]);
const entries = async () =>
  await database.rows<{
    target_id: string;
  }>("SELECT * FROM audit_log WHERE action = 'sign_in_link.created' ORDER BY id");

const admin = perSuite(aWorkspace);
let email: string;

beforeAll(async () => {
  email = await emailOf(admin.userId);
  await setAdmins([admin.userId]);
});
afterAll(() => setAdmins([]));

describe("POST /auth/operator-sign-in-link", () => {
  it("refuses a request that is not signed with a master key for this purpose", async () => {
    expect((await apiWith(null).post(PATH, undefined)).status).toBe(401);
    expect((await apiWith(admin.apiKey).post(PATH, undefined)).status).toBe(401);
    expect((await ask("any", "operator", { MASTER_KEYS: `1:${btoa("x".repeat(32))}` })).status).toBe(401);
    for (const kind of ["session", "bootstrap", "rotation", "backup", "smtp"] as const)
      expect((await ask("any", kind)).status, kind).toBe(401);
    expect(await entries()).toEqual([]);
  });

  it("makes a link of the named administrator, or of the first one, that signs in once and is audited", async () => {
    for (const subject of ["any", email, email.toUpperCase()]) {
      const response = await ask(subject);
      expect(response.status, subject).toBe(201);
      const link = await pathOf(response);
      const statuses = await Promise.all([browser().post(link), browser().post(link)]);
      expect(statuses.map(({ status }) => status).sort()).toEqual([303, 404]);
    }
    const page = browser();
    await page.post(await pathOf(await ask("any")));
    const sessions = await apiWith(null).get("/v1/sessions/", { Cookie: `session=${page.jar.session}` });
    const current = (await sessions.json<{ is_current: boolean; method: string }[]>()).find((one) => one.is_current);
    expect(current?.method).toBe("operator");
    const found = await entries();
    expect(found).toHaveLength(4);
    expect(found[0]).toMatchObject({
      ...{ workspace: null, user_id: null, target_kind: "user", target_id: admin.userId },
      detail: JSON.stringify({ email }),
    });
    const log = await apiWith(null).get("/v1/admin/audit?limit=5", { Cookie: `session=${page.jar.session}` });
    expect(JSON.stringify(await log.json())).toContain("sign_in_link.created");
  });

  it("gives as many links as are asked for at once, each of its own", async () => {
    const links = await Promise.all(Array.from({ length: 5 }, async () => pathOf(await ask(email))));
    expect(new Set(links).size).toBe(5);
    for (const link of links) expect((await browser().post(link)).status).toBe(303);
  });

  it("refuses everyone else with one response: unknown, no administrator, restricted, not an address", async () => {
    const before = (await entries()).length;
    const [member, restricted] = [await aWorkspace(), await aWorkspace()];
    await setAdmins([admin.userId, restricted.userId]);
    await database.run("UPDATE users SET restricted_at = 1 WHERE id = ?1", [restricted.userId]);
    const subjects = [await emailOf(member.userId), await emailOf(restricted.userId), "nobody@example.org"];
    const responses = new Set<string>();
    for (const subject of [...subjects, "", "a\r\nb", `${email}\0`, `${email}\r\nX: y`, "a".repeat(1_000)]) {
      const response = await ask(subject);
      responses.add(`${response.status} ${await response.text()}`);
    }
    expect([...responses]).toEqual([`404 ${JSON.stringify({ detail: "Platform administrator not found" })}`]);
    expect((await entries()).length).toBe(before);
    await setAdmins([restricted.userId]);
    expect((await ask("any")).status).toBe(404);
    await setAdmins([admin.userId]);
  });

  it("lets an administrator in whose last workspace was deleted, and asks for no body", async () => {
    const gone = await aWorkspace();
    await setAdmins([gone.userId]);
    await database.run("UPDATE workspaces SET deleted_at = 1 WHERE id = ?1", [gone.workspaceId]);
    const { token } = await signAccessToken(testContext(), "operator", { sub: "any", sid: "-", wid: "-" });
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const response = await apiWith(null).call("POST", PATH, "x".repeat(1_000_000), headers);
    expect(response.status).toBe(201);
    const page = browser({ SIGN_UP: "invited" });
    expect((await page.post(await pathOf(response))).headers.get("Location")).toBe("/app");
    await setAdmins([admin.userId]);
  });
});
