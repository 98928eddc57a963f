import { beforeEach, describe, expect, it } from "vitest";
import { changes, mayChange, roles } from "../../../src/identity/members/rules.ts";
import type { MemberOut } from "../../../src/identity/members/schema.ts";
import { anAppPassword, logInToImap } from "../../mailboxes/app-passwords/support.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { insertInvitation } from "../../support/invitations.ts";
import { aGrant, createGrant, postForm } from "../../support/oauth.ts";
import { aSession } from "../../support/sessions.ts";
import { aKey, aMember, apiWith, aWorkspace, type TestWorkspace } from "../../support/workspace.ts";
import { submit } from "../../web/dashboard/support.ts";

const TRIALS = byExtent({ quick: 4, full: 8, long: 300 });
let workspace: TestWorkspace;

beforeEach(async () => {
  workspace = await aWorkspace();
});

type Api = ReturnType<typeof apiWith>;
const path = (userId = "", of = workspace) => `/v1/workspaces/${of.workspaceId}/members${userId && `/${userId}`}`;
const remove = (api: Api, userId: string) => api.call("DELETE", path(userId));
const setRole = (api: Api, userId: string, role: unknown) => api.call("PATCH", path(userId), { role });
const rolesOf = async (of = workspace) => {
  const results = await database.rows<{ user_id: string; role: string }>(
    "SELECT user_id, role FROM memberships WHERE workspace = ?1 ORDER BY role",
    [of.workspaceNumber],
  );
  return results;
};

describe("GET members", () => {
  it("lists every member once, in pages", async () => {
    const added = [await aMember(workspace, "member"), await aMember(workspace, "admin")];
    const ids = [workspace.userId, ...added.map(({ userId }) => userId)].sort();
    const first = await workspace.get(`${path()}?limit=2`);
    const page = await first.json<MemberOut[]>();
    expect(first.headers.get("Link")).toContain(`after=${page[1]?.user_id}`);
    const rest = await (await workspace.get(`${path()}?limit=2&after=${page[1]?.user_id}`)).json<MemberOut[]>();
    expect([...page, ...rest].map(({ user_id }) => user_id)).toEqual(ids);
    expect([...page, ...rest].find(({ user_id }) => user_id === added[1]?.userId)).toEqual({
      user_id: added[1]?.userId,
      email: added[1]?.email,
      name: null,
      role: "admin",
      mailboxes_only: false,
      created_at: expect.stringMatching(/Z$/),
    });
  });

  it("returns 404 for another workspace, and 409 for one that the session has to switch to first", async () => {
    const other = await aWorkspace();
    await database.run("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'owner', 1)", [
      other.workspaceNumber,
      workspace.userId,
    ]);
    const session = await aSession(workspace);
    expect((await session.get(path("", other))).status).toBe(409);
    expect((await session.get(path("", await aWorkspace()))).status).toBe(404);
    expect((await workspace.get(path("", other))).status).toBe(404);
    expect((await session.get(path())).status).toBe(200);
  });
});

describe("PATCH members", () => {
  it("changes the rights of the member's credentials from their next request on", async () => {
    const member = await aMember(workspace, "member");
    expect((await member.post("/v1/domains/", { name: "a.example" })).status).toBe(403);
    const changed = await setRole(workspace, member.userId, "admin");
    expect([changed.status, await changed.json()]).toMatchObject([200, { user_id: member.userId, role: "admin" }]);
    expect((await member.get("/v1/audit")).status).toBe(200);
    expect((await setRole(workspace, member.userId, "member")).status).toBe(200);
    expect((await member.get("/v1/audit")).status).toBe(403);
    const entries = (await readAudit(workspace)).map(({ action, detail }) => [action, detail.from, detail.to]);
    expect(entries).toEqual([
      ["member.role_changed", "member", "admin"],
      ["member.role_changed", "admin", "member"],
    ]);
  });

  for (const by of ["owner", "admin"] as const) {
    for (const from of roles) {
      for (const to of [...roles, "removed"] as const) {
        const isAllowed = mayChange(by, from, to) || from === to;
        it(`by an ${by}: ${from} to ${to} is ${isAllowed ? "permitted" : "a 403"}`, async () => {
          const [caller, target] = [await aMember(workspace, by), await aMember(workspace, from)];
          const response =
            to === "removed" ? await remove(caller, target.userId) : await setRole(caller, target.userId, to);
          expect(response.status).toBe(isAllowed ? (to === "removed" ? 204 : 200) : 403);
          const after = (await rolesOf()).find(({ user_id }) => user_id === target.userId)?.role;
          expect(after).toBe(isAllowed ? (to === "removed" ? undefined : to) : from);
        });
      }
    }
  }

  it("has a rule for owners and admins only, and none by which an admin touches an owner", () => {
    expect(changes.filter(({ by }) => by === "member")).toEqual([]);
    expect(changes.filter(({ by, from, to }) => by === "admin" && (from === "owner" || to === "owner"))).toEqual([]);
    expect(changes).toHaveLength(12 + 6);
  });

  it("is a 403 for a credential with fewer rights than the role, and for one restricted to domains", async () => {
    const member = await aMember(workspace, "member");
    const narrow = apiWith(await aKey(workspace, { scopes: ["team:manage"] }));
    const response = await setRole(narrow, member.userId, "admin");
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining("Missing scope: ")]);
    const restricted = apiWith(await aKey(workspace, { domainIds: [workspace.domainId] }));
    expect((await setRole(restricted, member.userId, "admin")).status).toBe(403);
    expect((await remove(restricted, member.userId)).status).toBe(403);
  });

  it("returns 422 to a body that is no role and 404 to an id that is no member", async () => {
    const stranger = await aWorkspace();
    for (const role of [undefined, null, 1, "", "root", "owner\r\n", "\u0000", "öwner"])
      expect((await setRole(workspace, workspace.userId, role)).status, String(role)).toBe(422);
    expect((await workspace.call("PATCH", path(workspace.userId), [])).status).toBe(422);
    for (const id of ["nonsense", "%00", crypto.randomUUID(), stranger.userId, "%F0%9F%98%80"]) {
      expect((await setRole(workspace, id, "admin")).status, id).toBe(404);
      expect((await remove(workspace, id)).status, id).toBe(404);
    }
  });

  it("returns 409 to the last owner who gives up the role or leaves", async () => {
    const admin = await aMember(workspace, "admin");
    expect((await setRole(workspace, workspace.userId, "admin")).status).toBe(409);
    expect((await remove(workspace, workspace.userId)).status).toBe(409);
    await setRole(workspace, admin.userId, "owner");
    expect((await setRole(workspace, workspace.userId, "member")).status).toBe(200);
  });
});

describe("the end of a membership", () => {
  it("ends API keys, sessions, grants and assignments in the workspace at once, and nothing elsewhere", async () => {
    const member = await aMember(workspace, "admin");
    const own = { ...workspace, userId: member.userId };
    const secondKey = apiWith(await aKey(own));
    const session = await aSession(own);
    const grant = await aGrant(own);
    const other = await aWorkspace();
    await database.run("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'member', 1)", [
      other.workspaceNumber,
      member.userId,
    ]);
    const grantElsewhere = await aGrant({ ...other, userId: member.userId });
    const elsewhere = await aSession({ ...other, userId: member.userId });
    const keyElsewhere = apiWith(await aKey({ ...other, userId: member.userId }));
    const colleague = await aMember(workspace, "member");
    const assign = (userIds: string[]) =>
      workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids: userIds });
    expect((await assign([member.userId, colleague.userId])).status).toBe(200);
    expect((await remove(workspace, member.userId)).status).toBe(204);
    for (const api of [member, secondKey, session, grant]) expect((await api.get("/v1/me")).status).toBe(401);
    const refresh = {
      grant_type: "refresh_token",
      client_id: grant.client.id,
      refresh_token: grant.tokens.refresh_token,
    };
    expect(await (await postForm("/oauth/token", refresh)).json()).toMatchObject({ error: "invalid_grant" });
    expect((await session.post("/auth/refresh", undefined)).status).toBe(401);
    for (const api of [colleague, elsewhere, keyElsewhere, grantElsewhere])
      expect((await api.get("/v1/me")).status).toBe(200);
    const mailbox = await (await workspace.get(`/v1/mailboxes/${workspace.mailboxId}`)).json();
    expect(mailbox).toMatchObject({ assignee_ids: [colleague.userId] });
    expect((await readAudit(workspace)).at(-1)).toMatchObject({
      action: "member.removed",
      target: { kind: "user", id: member.userId },
      detail: { email: member.email, role: "admin" },
    });
  });

  it("lasts: the keys and sessions do not work again when the user joins again", async () => {
    const member = await aMember(workspace, "admin");
    const session = await aSession({ ...workspace, userId: member.userId });
    await remove(workspace, member.userId);
    await database.run("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'owner', 1)", [
      workspace.workspaceNumber,
      member.userId,
    ]);
    for (const api of [member, session]) expect((await api.get("/v1/me")).status).toBe(401);
  });

  it("by oneself takes a session, or a key that may manage the team", async () => {
    const [first, second] = [await aMember(workspace, "member"), await aMember(workspace, "member")];
    expect((await remove(first, first.userId)).status).toBe(403);
    const session = await aSession({ ...workspace, userId: first.userId });
    expect((await remove(session, second.userId)).status).toBe(403);
    expect((await remove(session, first.userId.toUpperCase())).status).toBe(204);
    expect((await session.get("/v1/me")).status).toBe(401);
    expect((await readAudit(workspace)).at(-1)).toMatchObject({ action: "member.left" });
  });

  // Every table that holds something that ends, and how its rows end.
  const ending = [
    ["memberships", "DELETE"],
    ["api_keys", "UPDATE"],
    ["sessions", "DELETE"],
    ["refresh_tokens", "DELETE"],
    ["oauth_grants", "DELETE"],
    ["oauth_access_tokens", "DELETE"],
    ["mailbox_assignees", "DELETE"],
    ["invitations", "DELETE"],
    ["audit_log", "INSERT"],
  ] as const;

  it("is one transaction: when one part fails, all stay", async () => {
    const member = await aMember(workspace, "admin");
    const own = { ...workspace, userId: member.userId };
    const session = await aSession(own);
    const grant = await aGrant(own);
    await insertInvitation(own, { email: "friend@example.org" });
    await workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids: [member.userId] });
    for (const [table, operation] of ending) {
      const trigger = `CREATE TRIGGER fail_end BEFORE ${operation} ON ${table} BEGIN SELECT RAISE(ABORT, 'no'); END`;
      await database.prepare(trigger).run();
      try {
        expect((await remove(workspace, member.userId)).status, table).toBe(500);
      } finally {
        await database.run("DROP TRIGGER fail_end");
      }
      for (const api of [member, session, grant]) expect((await api.get("/v1/me")).status, table).toBe(200);
      expect(await rolesOf(), table).toHaveLength(2);
    }
    expect((await remove(workspace, member.userId)).status).toBe(204);
  });

  it("leaves no row that the user could use again", async () => {
    const member = await aMember(workspace, "admin");
    const own = { ...workspace, userId: member.userId };
    const { sessionId } = await aSession(own);
    await aGrant(own);
    const { grant_id: grantId } = await createGrant(own);
    await remove(workspace, member.userId);
    const count = (sql: string, ...values: unknown[]) =>
      database
        .prepare(sql)
        .bind(...values)
        .first("n");
    for (const table of ["sessions", "oauth_grants", "mailbox_assignees"])
      expect(await count(`SELECT count(*) AS n FROM ${table} WHERE user_id = ?1`, member.userId), table).toBe(0);
    expect(await count("SELECT count(*) AS n FROM refresh_tokens WHERE family IN (?1, ?2)", sessionId, grantId)).toBe(
      0,
    );
    expect(await count("SELECT count(*) AS n FROM oauth_access_tokens WHERE grant_id = ?1", grantId)).toBe(0);
    expect(
      await count("SELECT count(*) AS n FROM api_keys WHERE user_id = ?1 AND revoked_at IS NULL", member.userId),
    ).toBe(0);
  });
});

describe("the passwords of mailboxes that a person has set", () => {
  const PASSWORD = "correct horse battery staple";
  /** Returns functions that act for an admin who has set the password of the mailbox in a session, and made an app password. */
  async function aMaker() {
    const admin = await aMember(workspace, "admin");
    const session = await aSession({ ...workspace, userId: admin.userId });
    await setPasswordBy(session);
    const { password } = await anAppPassword({ mailboxId: workspace.mailboxId, post: session.post });
    return { ...admin, path: `/app/team/${admin.userId}`, appPassword: password };
  }
  const setPasswordBy = async (api: Pick<TestWorkspace, "call">) =>
    expect(
      (await api.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password: PASSWORD })).status,
    ).toBe(200);
  const opens = async (password = PASSWORD) => (await logInToImap(workspace.mailbox, password)).error === null;
  const rejoin = ({ userId }: { userId: string }) =>
    database.run("INSERT INTO memberships (workspace, user_id, role, created_at) VALUES (?1, ?2, 'owner', 1)", [
      workspace.workspaceNumber,
      userId,
    ]);
  /** The fields of a form that lists the mailbox and does not choose its password to end. */
  const keeping = () => ({ listed: workspace.mailboxId });

  it("end for good with the membership, with the app passwords", async () => {
    const maker = await aMaker();
    expect([await opens(), await opens(maker.appPassword)]).toEqual([true, true]);
    await remove(workspace, maker.userId);
    await rejoin(maker);
    expect([await opens(), await opens(maker.appPassword)]).toEqual([false, false]);
  });

  it("end with the role that opens every mailbox, set in a session or by a key, and not those of others", async () => {
    const maker = await aMaker();
    await setPasswordBy(apiWith(maker.apiKey));
    expect((await setRole(workspace, maker.userId, "member")).status).toBe(200);
    await setRole(workspace, maker.userId, "admin");
    expect(await opens()).toBe(false);
    await setPasswordBy(workspace);
    await setRole(workspace, maker.userId, "member");
    expect(await opens()).toBe(true);
  });

  it("are listed where the person is removed or demoted, all chosen to end", async () => {
    const [owner, maker] = [await aSession(workspace), await aMaker()];
    const demotion = await submit(owner, `${maker.path}/role`, { role: "member" });
    expect(demotion.headers.get("Location")).toBe(`${maker.path}/demote`);
    for (const page of ["demote", "remove"]) {
      const html = await (await owner.get(`${maker.path}/${page}`)).text();
      expect(html).toContain(`name="end" value="${workspace.mailboxId}" checked=""`);
      expect(html).toContain(workspace.mailbox);
    }
    const listed = { listed: workspace.mailboxId, end: workspace.mailboxId };
    expect((await submit(owner, `${maker.path}/demote`, listed)).headers.get("Location")).toBe(
      "/app/team?done=changed",
    );
    expect(await opens()).toBe(false);
    expect(await (await owner.get(`${maker.path}/remove`)).text()).not.toContain('name="end"');
  });

  it("are kept one by one by an owner, who becomes their maker, with an audit entry", async () => {
    const [owner, maker] = [await aSession(workspace), await aMaker()];
    await submit(owner, `${maker.path}/remove`, keeping());
    expect([await opens(), await opens(maker.appPassword)]).toEqual([true, false]);
    expect((await readAudit(workspace)).at(-1)).toMatchObject({
      action: "member.removed",
      detail: { email: maker.email, passwords_kept: [workspace.mailboxId] },
    });
    const other = await aMember(workspace, "owner");
    await remove(other, workspace.userId);
    expect(await opens()).toBe(false);
  });

  it("are kept by no admin, and by no one who leaves", async () => {
    const maker = await aMaker();
    const admin = await aSession({ ...workspace, ...(await aMember(workspace, "admin")) });
    expect(await (await admin.get(`${maker.path}/remove`)).text()).not.toContain('name="end"');
    expect((await submit(admin, `${maker.path}/remove`, keeping())).status).toBe(403);
    const self = await aSession({ ...workspace, userId: maker.userId });
    expect((await submit(self, `${maker.path}/remove`, keeping())).status).toBe(403);
    expect(await opens()).toBe(true);
  });
});

describe("two owners at once", () => {
  for (const [what, act] of [
    ["demote each other", (api: Api, userId: string) => setRole(api, userId, "member")],
    ["remove each other", (api: Api, userId: string) => remove(api, userId)],
  ] as const) {
    it(`who ${what} leave one owner`, async () => {
      for (let trial = 0; trial < TRIALS; trial++) {
        const tenant = await aWorkspace();
        workspace = tenant;
        const second = await aMember(tenant, "owner");
        const responses = await Promise.all([act(tenant, second.userId), act(second, tenant.userId)]);
        const succeeded = responses.filter(({ ok }) => ok);
        expect(succeeded, responses.map(({ status }) => status).join()).toHaveLength(1);
        expect((await rolesOf()).filter(({ role }) => role === "owner")).toHaveLength(1);
      }
    });
  }

  it("who both leave are one owner and one 409", async () => {
    for (let trial = 0; trial < TRIALS; trial++) {
      workspace = await aWorkspace();
      const second = await aMember(workspace, "owner");
      const responses = await Promise.all([remove(workspace, workspace.userId), remove(second, second.userId)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 409]);
      expect((await rolesOf()).filter(({ role }) => role === "owner")).toHaveLength(1);
    }
  });
});
