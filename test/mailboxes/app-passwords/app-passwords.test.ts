import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { openForCall } from "../../../src/mailboxes/imap/access.ts";
import { rotationReport } from "../../../src/operations/secret-rotation/report.ts";
import { auditedActions } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { GATEWAY_HEADERS } from "../../support/submissions.ts";
import { aKey, aMember, apiOn, apiWith, aWorkspace, perTest, testContext } from "../../support/workspace.ts";
import { anAppPassword, type Created, findEnded, logInToImap } from "./support.ts";

const PASSWORD = "correct horse battery staple";
const workspace = perTest(aWorkspace);
let path: string;

beforeEach(async () => {
  path = `/v1/mailboxes/${workspace.mailboxId}/app-passwords`;
});

type Api = ReturnType<typeof apiWith>;
const setPassword = (api: Pick<Api, "call"> = workspace, password = PASSWORD) =>
  api.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/password`, { password });
const assign = (...user_ids: string[]) =>
  workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids });
const list = async (api: Pick<Api, "get"> = workspace) => (await api.get(path)).json<Record<string, unknown>[]>();
const codeOf = async (password: string) => (await logInToImap(workspace.mailbox, password)).error?.code ?? "opened";

describe("an app password", () => {
  it("is shown once, and stored as a keyed hash only", async () => {
    const { id, password, ...rest } = await anAppPassword(workspace, { name: "Phone" });
    expect(rest).toEqual({ name: "Phone", created_at: expect.any(String) });
    expect(password).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){6}[0-9a-hjkmnp-tv-z]{4}$/);
    const shown = { id, name: "Phone", created_at: rest.created_at, last_used_at: null, maker_id: workspace.userId };
    expect(await list()).toEqual([shown]);
    const results = await database.rows("SELECT * FROM app_passwords WHERE id = ?1", [id]);
    expect(results[0]?.hash).toMatch(/^\d+\.[\w+/]{43}=$/);
    expect(JSON.stringify(results)).not.toContain(password);
  });

  it("opens the mailbox in a mail program, however it is written, and not webmail", async () => {
    const { password } = await anAppPassword(workspace);
    for (const text of [password, password.toUpperCase(), password.replaceAll("-", " "), password.replaceAll("-", "")])
      expect(await codeOf(text)).toBe("opened");
    for (const text of [password.slice(1), `${password}0`, "-".repeat(34), `${password.slice(0, -1)}é`])
      expect(await codeOf(text), JSON.stringify(text)).toBe("AUTHENTICATIONFAILED");
    const login = await apiWith(null).post("/v1/webmail/login", { email: workspace.mailbox, password });
    expect(login.status).toBe(401);
  });

  it("opens its own mailbox only", async () => {
    const other = await aWorkspace();
    const { password } = await anAppPassword(workspace);
    expect((await logInToImap(other.mailbox, password)).error?.code).toBe("AUTHENTICATIONFAILED");
  });

  it("tells when it was used last, by a login and by a call of a connection that stays open", async () => {
    const { password } = await anAppPassword(workspace);
    await anAppPassword(workspace, { name: "Unused" });
    const { access } = await logInToImap(workspace.mailbox, password);
    expect((await list()).map(({ last_used_at }) => last_used_at)).toEqual([null, expect.any(String)]);
    await database.run("UPDATE app_passwords SET last_used_at = 0 WHERE last_used_at IS NOT NULL");
    await openForCall(testContext(), access);
    expect((await list())[1]?.last_used_at).toMatch(/^20[2-9]/);
  });

  it("has its hash under the newest master key from its next use on", async () => {
    const { id, password } = await anAppPassword(workspace);
    const keys = `${(env as unknown as { MASTER_KEYS: string }).MASTER_KEYS},977:${btoa("k".repeat(32))}`;
    const later = apiOn({ MASTER_KEYS: keys }, null);
    const login = { username: workspace.mailbox, password, ip: "192.0.2.9" };
    const hashOf = () => database.value<string>("SELECT hash FROM app_passwords WHERE id = ?1", [id]);
    const report = async () => (await rotationReport(testContext({ MASTER_KEYS: keys }))).appPasswords;
    const before = await report();
    expect((await later.post("/gateway/imap/sessions", login, GATEWAY_HEADERS)).status).toBe(200);
    expect(await hashOf()).toMatch(/^977\./);
    expect(await report()).toBe(before - 1);
  });

  it("ends the sessions that it opened when it is deleted, and no others", async () => {
    const [one, two] = [await anAppPassword(workspace), await anAppPassword(workspace)];
    const [first, second] = [
      await logInToImap(workspace.mailbox, one.password),
      await logInToImap(workspace.mailbox, two.password),
    ];
    const deletions = await Promise.all([1, 2].map(() => workspace.call("DELETE", `${path}/${one.id}`)));
    expect(deletions.map(({ status }) => status).toSorted()).toEqual([204, 404]);
    expect(await findEnded(first.access, second.access)).toEqual([0]);
    expect([await codeOf(one.password), await codeOf(two.password)]).toEqual(["AUTHENTICATIONFAILED", "opened"]);
  });

  it("is one of at most 20, also when several are made at once", async () => {
    for (let n = 0; n < 19; n += 1) await anAppPassword(workspace, { name: `Program ${n}` });
    const statuses = await Promise.all(
      Array.from({ length: 4 }, async (_, n) => (await workspace.post(path, { name: `At once ${n}` })).status),
    );
    expect(statuses.toSorted()).toEqual([201, 409, 409, 409]);
    expect(await list()).toHaveLength(20);
    const refused = await workspace.post(path, { name: "One more" }, { "Idempotency-Key": "one-more-app-password" });
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { detail: "The mailbox has 20 app passwords, which is the limit; delete one first" },
    ]);
  });

  it("is made once by a repeated call", async () => {
    const headers = { "Idempotency-Key": `app-password-${crypto.randomUUID()}` };
    const [first, second] = [
      await (await workspace.post(path, { name: "Once" }, headers)).json<Created>(),
      await (await workspace.post(path, { name: "Once" }, headers)).json<Created>(),
    ];
    expect(second).toEqual(first);
    expect(await list()).toHaveLength(1);
  });

  it("has a name of visible characters within its limit", async () => {
    for (const name of ["", "  ", "a\r\nb", "a\0b", "x".repeat(101), 7, null, undefined])
      expect((await workspace.post(path, { name })).status, JSON.stringify(name)).toBe(422);
    expect((await workspace.post(path, { name: "Téléphone 📱" })).status).toBe(201);
    expect((await workspace.post(path, {})).status).toBe(422);
    expect((await workspace.post(path, { name: "x".repeat(2_000_000) })).status).toBe(422);
  });

  it("is not found by an id that is malformed, unknown or of another mailbox", async () => {
    const other = await aWorkspace();
    const foreign = await anAppPassword(other);
    const { id } = await anAppPassword(workspace);
    for (const one of [foreign.id, crypto.randomUUID(), "x", "%00"])
      expect((await workspace.call("DELETE", `${path}/${one}`)).status, one).toBe(404);
    expect((await other.call("DELETE", `${path}/${id}`)).status).toBe(404);
    expect((await other.get(path)).status).toBe(404);
    expect((await other.post(path, { name: "Foreign" })).status).toBe(404);
    expect(await list()).toHaveLength(1);
  });

  it("is in the audit log without its password", async () => {
    const { id, password } = await anAppPassword(workspace);
    await workspace.call("DELETE", `${path}/${id}`);
    const owner = await aSession(workspace);
    expect((await auditedActions(owner)).slice(-3, -1)).toEqual([
      `mailbox.app_password_created ${workspace.mailboxId}`,
      `mailbox.app_password_deleted ${workspace.mailboxId}`,
    ]);
    expect(await (await owner.get("/v1/audit?limit=500")).text()).not.toContain(password);
  });
});

describe("app passwords are managed", () => {
  it("by owners, admins and assigned members, with a session or a key", async () => {
    for (const [role, isAssigned, status] of [
      ["owner", false, 201],
      ["admin", false, 201],
      ["member", false, 403],
      ["member", true, 201],
    ] as const) {
      const user = await aMember(workspace, role);
      if (isAssigned) await assign(user.userId);
      for (const api of [user, await aSession({ ...workspace, userId: user.userId })]) {
        const response = await api.post(path, { name: "Program" });
        expect(response.status, `${role} ${isAssigned}`).toBe(status);
        expect((await api.get(path)).status).toBe(status === 201 ? 200 : 403);
        const id = status === 201 ? (await response.json<Created>()).id : crypto.randomUUID();
        expect((await api.call("DELETE", `${path}/${id}`)).status).toBe(status === 201 ? 204 : 403);
      }
    }
  });

  it("with the scopes of the inbox: those that read it list them, those that also write make and delete them", async () => {
    const reader = apiWith(await aKey(workspace, { scopes: ["mailboxes:manage", "inbox:read"] }));
    const writer = apiWith(await aKey(workspace, { scopes: ["mailboxes:manage", "inbox:write"] }));
    const { id } = await anAppPassword(workspace);
    expect([(await reader.get(path)).status, (await writer.get(path)).status]).toEqual([200, 403]);
    for (const api of [reader, writer]) {
      expect((await api.post(path, { name: "Program" })).status).toBe(403);
      expect((await api.call("DELETE", `${path}/${id}`)).status).toBe(403);
    }
  });

  it("by no token of a mailbox session, which is for the inbox API", async () => {
    await setPassword();
    const login = await apiWith(null).post("/v1/webmail/login", { email: workspace.mailbox, password: PASSWORD });
    const session = apiWith((await login.json<{ access_token: string }>()).access_token);
    expect([(await session.get(path)).status, (await session.post(path, { name: "Program" })).status]).toEqual([
      401, 401,
    ]);
  });
});

describe("an app password ends", () => {
  it("when the password of the mailbox is set", async () => {
    await setPassword();
    const { password } = await anAppPassword(workspace);
    const { access } = await logInToImap(workspace.mailbox, password);
    await setPassword(workspace, `${PASSWORD} 2`);
    expect(await list()).toEqual([]);
    expect(await findEnded(access)).toEqual([0]);
    expect(await codeOf(password)).toBe("AUTHENTICATIONFAILED");
  });

  it("with the API key that made it, or passes to the successor of a rotated one", async () => {
    const owner = await aSession(workspace);
    const made = await (await owner.post("/v1/api-keys/", { name: "Key", scopes: ["*"] })).json<{
      id: string;
      key: string;
    }>();
    const { password } = await anAppPassword({ ...workspace, ...apiWith(made.key) });
    const { id } = await owner.create(`/v1/api-keys/${made.id}/rotate`, {});
    await owner.call("DELETE", `/v1/api-keys/${made.id}`);
    expect(await codeOf(password)).toBe("opened");
    await owner.call("DELETE", `/v1/api-keys/${id}`);
    expect(await codeOf(password)).toBe("AUTHENTICATIONFAILED");
  });

  it("with the assignment of the member who made it", async () => {
    const member = await aMember(workspace, "member");
    await assign(member.userId);
    const { password } = await anAppPassword({
      ...workspace,
      ...(await aSession({ ...workspace, userId: member.userId })),
    });
    const byOwner = await anAppPassword({ ...workspace, ...(await aSession(workspace)) });
    expect(await Promise.all([password, byOwner.password].map(codeOf))).toEqual(["opened", "opened"]);
    await assign();
    expect(await Promise.all([password, byOwner.password].map(codeOf))).toEqual(["AUTHENTICATIONFAILED", "opened"]);
  });

  const byAdmin = async () => {
    const admin = await aMember(workspace, "admin");
    const session = await aSession({ ...workspace, userId: admin.userId });
    const made = await anAppPassword({ ...workspace, ...session }, { name: "By the admin" });
    return { ...made, admin, session, member: `/v1/workspaces/${workspace.workspaceId}/members/${admin.userId}` };
  };

  it("with the membership of the admin who made it, also in its open sessions", async () => {
    const { password, member } = await byAdmin();
    const { access } = await logInToImap(workspace.mailbox, password);
    expect((await workspace.call("DELETE", member)).status).toBe(204);
    expect(await findEnded(access)).toEqual([0]);
    expect(await codeOf(password)).toBe("AUTHENTICATIONFAILED");
  });

  it("with the role of the admin who made it, unless the mailbox is assigned to them", async () => {
    const { password, member, admin } = await byAdmin();
    expect((await workspace.call("PATCH", member, { role: "member" })).status).toBe(200);
    expect(await codeOf(password)).toBe("AUTHENTICATIONFAILED");
    await assign(admin.userId);
    expect(await codeOf(password)).toBe("opened");
  });

  it("for an assigned member who became an admin with that role, not with the assignment", async () => {
    const { userId } = await aMember(workspace, "member");
    await assign(userId);
    const session = await aSession({ ...workspace, userId });
    const { password } = await anAppPassword({ ...workspace, ...session });
    await workspace.call("PATCH", `/v1/workspaces/${workspace.workspaceId}/members/${userId}`, { role: "admin" });
    await assign();
    expect(await codeOf(password)).toBe("opened");
  });

  it("with the right of the person who set the password of the mailbox by which it was made", async () => {
    const { session, member } = await byAdmin();
    expect((await setPassword(session)).status).toBe(200);
    expect(await codeOf(PASSWORD)).toBe("opened");
    const login = () => apiWith(null).post("/v1/webmail/login", { email: workspace.mailbox, password: PASSWORD });
    expect((await login()).status).toBe(200);
    await workspace.call("DELETE", member);
    expect(await codeOf(PASSWORD)).toBe("AUTHENTICATIONFAILED");
    expect((await login()).status).toBe(401);
  });

  it("and is neither listed nor counted any more", async () => {
    const { member, session } = await byAdmin();
    await anAppPassword(workspace, { name: "By the key" });
    for (let n = 2; n < 20; n++) await anAppPassword({ ...workspace, ...session }, { name: "By the admin" });
    expect((await workspace.post(path, { name: "One more" })).status).toBe(409);
    await workspace.call("DELETE", member);
    expect((await list()).map(({ name }) => name)).toEqual(["By the key"]);
    for (let n = 1; n < 20; n++) await anAppPassword(workspace);
    expect((await workspace.post(path, { name: "One more" })).status).toBe(409);
  });

  it("with its mailbox", async () => {
    const { id, password } = await anAppPassword(workspace);
    await workspace.call("PATCH", `/v1/mailboxes/${workspace.mailboxId}`, { is_active: false });
    expect(await codeOf(password)).toBe("AUTHENTICATIONFAILED");
    await workspace.call("DELETE", `/v1/mailboxes/${workspace.mailboxId}`);
    expect(await database.row("SELECT id FROM app_passwords WHERE id = ?1", [id])).toBeNull();
  });
});
