import { describe, expect, it } from "vitest";
import { type AccountWorkspace, deletionIssue, limits } from "../../../src/identity/members/me/rules.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { createGrant } from "../../support/oauth.ts";
import { aSession, outdateProof } from "../../support/sessions.ts";
import { aMagicLink, browser, systemEmails } from "../../support/sign-ins.ts";
import { aMember, apiOn, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";
import { submit } from "../../web/dashboard/support.ts";

const memberOf = async (workspace: TestWorkspace, role: "owner" | "admin" | "member" = "member") => ({
  ...(await aMember(workspace, role)),
  workspaceId: workspace.workspaceId,
});
const userRow = (userId: string) =>
  database.row<{ email: string; email_key: string; name: string | null; is_platform_admin: number }>(
    "SELECT email, email_key, name, is_platform_admin FROM users WHERE id = ?1",
    [userId],
  );

describe("DELETE /v1/me", () => {
  it("ends every way in, forgets the address, and leaves the workspaces of others as they are", async () => {
    const workspace = await aWorkspace();
    const member = await memberOf(workspace, "admin");
    await database.run("UPDATE users SET name = 'Ada' WHERE id = ?1", [member.userId]);
    const { id: listId } = await member.create("/v1/contacts/", { name: "Friends" });
    await createGrant({ ...workspace, userId: member.userId });
    const other = await aSession(member);
    const session = await aSession(member);
    const deleted = await session.call("DELETE", "/v1/me");
    expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
    expect(deleted.headers.getSetCookie().filter((cookie) => /^(session|refresh)=;/.test(cookie))).toHaveLength(2);
    for (const api of [session, other, member]) expect((await api.get("/v1/me")).status).toBe(401);
    const row = await userRow(member.userId);
    expect(row).toEqual({
      email: `${member.userId}@deleted.invalid`,
      email_key: `${member.userId}@deleted.invalid`,
      name: null,
      is_platform_admin: 0,
    });
    for (const table of ["memberships", "sessions", "oauth_grants", "mailbox_assignees", "user_totp", "identities"]) {
      const left = await database.prepare(`SELECT count(*) AS n FROM ${table} WHERE user_id = ?1`).bind(member.userId);
      expect(await left.first("n"), table).toBe(0);
    }
    expect((await workspace.get(`/v1/contacts/${listId}`)).status).toBe(200);
    expect((await readAudit(workspace)).at(-1)).toMatchObject({
      action: "member.left",
      detail: { email: member.email, role: "admin" },
    });
  });

  it("asks for a proof of identity of the last five minutes", async () => {
    const member = await memberOf(await aWorkspace());
    const session = await aSession(member);
    await outdateProof(member);
    const refused = await session.call("DELETE", "/v1/me");
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: "reauthentication_required" }]);
    expect((await userRow(member.userId))?.email).toBe(member.email);
  });

  it("returns 409 to the last owner of a workspace, and deletes nothing", async () => {
    const workspace = await aWorkspace();
    const session = await aSession(workspace);
    const blockers = [{ kind: "workspace", id: workspace.workspaceId, label: expect.any(String) }];
    const alone = await session.call("DELETE", "/v1/me");
    expect([alone.status, await alone.json()]).toMatchObject([409, { code: "last_owner", blockers }]);
    await aMember(workspace, "admin");
    const withOthers = await session.call("DELETE", "/v1/me?workspaces=delete");
    expect([withOthers.status, await withOthers.json()]).toMatchObject([409, { code: "last_owner", blockers }]);
    expect((await workspace.get("/v1/me")).status).toBe(200);
    await aMember(workspace, "owner");
    expect((await session.call("DELETE", "/v1/me")).status).toBe(204);
  });

  it("deletes the workspaces that the user is alone in, if it is asked to, and leaves the others", async () => {
    const [own, shared] = [await aWorkspace(), await aWorkspace()];
    await database.run("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'member', 1)", [
      shared.workspaceNumber,
      own.userId,
    ]);
    const session = await aSession(own);
    expect((await session.call("DELETE", "/v1/me?workspaces=delete")).status).toBe(204);
    expect((await own.get("/v1/me")).status).toBe(401);
    expect((await shared.get("/v1/me")).status).toBe(200);
    const results = await database.rows(
      "SELECT number, deleted_at IS NULL AS is_left FROM workspaces WHERE number IN (?1, ?2) ORDER BY number",
      [own.workspaceNumber, shared.workspaceNumber],
    );
    expect(results).toEqual([
      { number: own.workspaceNumber, is_left: 0 },
      { number: shared.workspaceNumber, is_left: 1 },
    ]);
  });

  it("deletes nothing when a member joins in between", async () => {
    const workspace = await aWorkspace();
    const session = await aSession(workspace);
    const [deleted, joined] = await Promise.all([
      session.call("DELETE", "/v1/me?workspaces=delete"),
      aMember(workspace, "admin"),
    ]);
    const isDeleted = deleted.status === 204;
    expect([204, 409]).toContain(deleted.status);
    const { n } = (await database.row<{ n: number }>(
      "SELECT count(*) AS n FROM workspaces WHERE number = ?1 AND deleted_at IS NULL",
      [workspace.workspaceNumber],
    )) ?? { n: -1 };
    expect(n).toBe(isDeleted ? 0 : 1);
    expect((await joined.get("/v1/me")).status).toBe(isDeleted ? 401 : 200);
  });

  it("is done once, however often it is called at once", async () => {
    const member = await memberOf(await aWorkspace());
    const session = await aSession(member);
    const calls = await Promise.all(Array.from({ length: 8 }, () => session.call("DELETE", "/v1/me")));
    expect(calls.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(calls.filter(({ status }) => ![204, 401, 409].includes(status))).toEqual([]);
  });

  it("is refused to a restricted account, and to the last administrator of the platform", async () => {
    const workspace = await aWorkspace();
    const member = await memberOf(workspace);
    const session = await aSession(member);
    await database.run("UPDATE users SET restricted_at = 1 WHERE id = ?1", [member.userId]);
    expect((await session.call("DELETE", "/v1/me")).status).toBe(403);
    await database.run("UPDATE users SET restricted_at = NULL WHERE id = ?1", [member.userId]);
    const admins = await database.rows<{ id: string }>(
      "UPDATE users SET is_platform_admin = 0 WHERE is_platform_admin = 1 RETURNING id",
    );
    await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [member.userId]);
    expect((await session.call("DELETE", "/v1/me")).status).toBe(409);
    const another = await aMember(workspace, "member");
    await database.run("UPDATE users SET is_platform_admin = 1 WHERE id IN (SELECT value FROM json_each(?1))", [
      JSON.stringify([another.userId, ...admins.map(({ id }) => id)]),
    ]);
    expect((await session.call("DELETE", "/v1/me")).status).toBe(204);
  });

  it("lets the address sign up again, with a new account", async () => {
    const member = await memberOf(await aWorkspace());
    expect((await (await aSession(member)).call("DELETE", "/v1/me")).status).toBe(204);
    const page = browser({ SIGN_UP: "open" });
    expect((await page.post(await aMagicLink(member.email))).headers.get("Location")).toBe("/app");
    const me = await (await page.get("/v1/me")).json<{ user: { id: string; email: string } }>();
    expect(me.user.email).toBe(member.email);
    expect(me.user.id).not.toBe(member.userId);
  });

  it("confirms the deletion by an email to the old address", async () => {
    const sender = await aWorkspace();
    const member = await memberOf(await aWorkspace());
    const { tokens } = await aSession(member);
    const api = apiOn({ SYSTEM_MAILBOX: sender.mailbox }, null);
    const headers = { Cookie: `session=${tokens.accessToken}`, Origin: "http://api.test" };
    expect((await api.call("DELETE", "/v1/me", undefined, headers)).status).toBe(204);
    expect(await systemEmails(sender, 1)).toEqual([expect.stringContaining("was deleted")]);
  });
});

describe("the page that deletes the account", () => {
  const PATH = "/app/security/delete";

  it("deletes the account after the address is typed", async () => {
    const member = await memberOf(await aWorkspace());
    const page = await aSession(member);
    expect(await (await page.get(PATH)).text()).toContain(`type your address: ${member.email}`);
    const mistyped = await submit(page, PATH, { email: "other@example.com" });
    expect([mistyped.status, (await userRow(member.userId))?.email]).toEqual([422, member.email]);
    const deleted = await submit(page, PATH, { email: member.email.toUpperCase() });
    expect([deleted.status, deleted.headers.get("Location")]).toEqual([303, "/auth/sign-in"]);
    expect((await userRow(member.userId))?.email).toBe(`${member.userId}@deleted.invalid`);
  });

  it("names the workspaces that are deleted, and the one that needs another owner", async () => {
    const workspace = await aWorkspace();
    const session = await aSession(workspace);
    expect(await (await session.get(PATH)).text()).toContain("because you are alone in them");
    await aMember(workspace, "member");
    const refused = await (await session.get(PATH)).text();
    expect(refused).toContain("You are the last owner of ");
    expect(refused).not.toContain("type your address");
  });
});

describe("deletionIssue", () => {
  const aRow = (row: Partial<AccountWorkspace>): AccountWorkspace => ({
    number: 1,
    id: "id",
    name: "Shop",
    mailShard: 0,
    role: "owner",
    hasOtherMembers: true,
    hasOtherOwner: true,
    ...row,
  });
  const rows: [string, Partial<AccountWorkspace>, "delete" | "keep", string | undefined][] = [
    ["an owner beside another one", {}, "keep", undefined],
    ["a member", { role: "member" }, "keep", undefined],
    ["the last owner of others", { hasOtherOwner: false }, "delete", "last_owner"],
    ["a user alone", { hasOtherMembers: false, hasOtherOwner: false }, "keep", "last_owner"],
    ["a user alone that asks", { hasOtherMembers: false, hasOtherOwner: false }, "delete", undefined],
  ];
  for (const [who, row, alone, code] of rows)
    it(`${who}: ${code ?? "deleted"}`, () => {
      expect(deletionIssue([aRow(row)], alone)?.code).toBe(code);
    });

  it("refuses more workspaces than one transaction takes", () => {
    const many = Array.from({ length: limits.accountWorkspaces + 1 }, () => aRow({}));
    expect(deletionIssue(many, "keep")?.code).toBe("too_many_workspaces");
    expect(deletionIssue(many.slice(1), "keep")).toBeNull();
  });
});
