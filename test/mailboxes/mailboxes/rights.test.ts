import { beforeEach, describe, expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aKey, aMember, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "../../web/dashboard/support.ts";

/**
 * Who may change a mailbox, set its password and read it (docs/contract/mailboxes.md#rights-on-a-mailbox), for each role and
 * credential.
 */

const PASSWORD = "correct horse battery staple";
const workspace = perTest(aWorkspace);
let path: string;

beforeEach(async () => {
  path = `/v1/mailboxes/${workspace.mailboxId}`;
});

type Api = Pick<ReturnType<typeof apiWith>, "call" | "get">;

/** Every change of a mailbox, in an order in which each can succeed. */
const changes: Readonly<Record<string, (api: Api, userId: string) => Promise<Response>>> = {
  "display name": (api) => api.call("PATCH", path, { display_name: "New name" }),
  password: (api) => api.call("PUT", `${path}/password`, { password: PASSWORD }),
  activity: (api) => api.call("PATCH", path, { is_active: true }),
  quota: (api) => api.call("PATCH", path, { quota_bytes: 1_000_000 }),
  "name and quota": (api) => api.call("PATCH", path, { display_name: "Other", quota_bytes: null }),
  assignees: (api, userId) => api.call("PUT", `${path}/assignees`, { user_ids: [userId] }),
  deletion: (api) => api.call("DELETE", path),
};
const assign = (...user_ids: string[]) => workspace.call("PUT", `${path}/assignees`, { user_ids });
const logIn = (password = PASSWORD) => apiWith(null).post("/v1/webmail/login", { email: workspace.mailbox, password });
const messages = (api: Api) => api.get(`/v1/inbox/${workspace.mailboxId}/messages`);
async function mailboxSession() {
  const { access_token, refresh_token } = await (await logIn()).json<Record<string, string>>();
  return {
    ...apiWith(access_token ?? ""),
    refresh: () => apiWith(null).post("/v1/webmail/refresh", { refresh_token }),
  };
}
const setPassword = (api: Api) => changes.password?.(api, "");

describe("a role", () => {
  const ofMember = {
    "display name": 403,
    password: 403,
    activity: 403,
    quota: 403,
    "name and quota": 403,
    assignees: 403,
    deletion: 403,
  };
  const ofManager = {
    "display name": 200,
    password: 200,
    activity: 200,
    quota: 200,
    "name and quota": 200,
    assignees: 200,
    deletion: 204,
  };
  const matrix = [
    ["owner", false, ofManager],
    ["admin", false, ofManager],
    ["member", false, ofMember],
    ["member", true, { ...ofMember, "display name": 200, password: 200 }],
  ] as const;
  for (const [role, isAssigned, expected] of matrix) {
    for (const credential of ["session", "API key"] as const) {
      it(`${role}${isAssigned ? ", assigned," : ""} with its ${credential} changes what it may and nothing else`, async () => {
        const user = await aMember(workspace, role);
        if (isAssigned) await assign(user.userId);
        const api = credential === "session" ? await aSession({ ...workspace, userId: user.userId }) : user;
        const before = await (await workspace.get(path)).json();
        for (const [what, change] of Object.entries(changes)) {
          const response = await change(api, user.userId);
          expect(response.status, what).toBe(expected[what as keyof typeof expected]);
          if (response.status === 403)
            expect(await response.json(), what).toEqual({
              detail: expect.stringMatching(/^Missing scope: mailboxes:manage$/),
            });
        }
        const names = isAssigned ? { display_name: "New name" } : {};
        if (role === "member")
          expect(await (await workspace.get(path)).json()).toEqual({ ...(before as object), ...names });
      });
    }
  }

  it("member gets into no mailbox by assigning itself, by a password or by a rule of forwarding", async () => {
    const member = await aMember(workspace, "member");
    for (const [what, change] of Object.entries(changes))
      expect((await change(member, member.userId)).status, what).toBe(403);
    expect((await messages(member)).status).toBe(403);
    expect((await logIn()).status).toBe(401);
    const rule = {
      mailbox_id: workspace.mailboxId,
      match: {},
      action: { type: "address", target: member.email },
      position: 0,
    };
    expect((await member.post("/v1/forwarding-rules/", rule)).status).toBe(403);
    const created = await member.post("/v1/mailboxes/", { domain_id: workspace.domainId, local_part: "*" });
    expect(created.status).toBe(403);
  });
});

describe("an API key", () => {
  it("sets a password only with mailboxes:manage, inbox:read and inbox:write together", async () => {
    const needed = ["mailboxes:manage", "inbox:read", "inbox:write"] as const;
    for (const left of needed) {
      const scopes = needed.filter((scope) => scope !== left);
      const response = await setPassword(apiWith(await aKey(workspace, { scopes })));
      expect([response?.status, await response?.json()]).toEqual([403, { detail: `Missing scope: ${left}` }]);
    }
    expect((await logIn()).status).toBe(401);
    expect((await setPassword(apiWith(await aKey(workspace, { scopes: [...needed] }))))?.status).toBe(200);
    expect((await logIn()).status).toBe(200);
  });

  it("with mailboxes:view and inbox:read alone changes nothing, also for an assigned user", async () => {
    await assign(workspace.userId);
    const api = apiWith(await aKey(workspace, { scopes: ["mailboxes:view", "inbox:read"] }));
    for (const [what, change] of Object.entries(changes))
      expect((await change(api, workspace.userId)).status, what).toBe(403);
  });

  const ends: Record<string, (keyId: string, userId: string) => Promise<unknown>> = {
    "is revoked": (keyId) => workspace.call("DELETE", `/v1/api-keys/${keyId}`),
    expires: (keyId) => database.run("UPDATE api_keys SET expires_at = 1 WHERE id = ?1", [keyId]),
    "has a user who becomes a member": (_, userId) =>
      workspace.call("PATCH", `/v1/workspaces/${workspace.workspaceId}/members/${userId}`, { role: "member" }),
    "loses its user": (_, userId) =>
      workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}/members/${userId}`),
  };
  const idOf = async (userId: string) =>
    (await database.value<string>("SELECT id FROM api_keys WHERE user_id = ?1", [userId])) ?? "";

  for (const [what, end] of Object.entries(ends)) {
    it(`that ${what} takes the password that it set, and the sessions that the password opened, with it`, async () => {
      const admin = await aMember(workspace, "admin");
      await setPassword(admin);
      const session = await mailboxSession();
      expect((await messages(session)).status).toBe(200);
      await end(await idOf(admin.userId), admin.userId);
      expect([(await logIn()).status, (await messages(session)).status, (await session.refresh()).status]).toEqual([
        401, 401, 401,
      ]);
      await setPassword(await aSession(workspace));
      expect((await logIn()).status).toBe(200);
    });
  }

  it("that is rotated hands its passwords to its successor, those that it sets afterwards too, and they end with that one", async () => {
    const owner = await aSession(workspace);
    const id = crypto.randomUUID();
    const api = apiWith(await aKey(workspace, { id }));
    await setPassword(api);
    const successor = await owner.create(`/v1/api-keys/${id}/rotate`, {});
    const session = await mailboxSession();
    await owner.call("DELETE", `/v1/api-keys/${id}`);
    expect([(await logIn()).status, (await messages(session)).status]).toEqual([200, 200]);
    await database.run("UPDATE api_keys SET revoked_at = NULL WHERE id = ?1", [id]);
    await setPassword(api);
    await owner.call("DELETE", `/v1/api-keys/${id}`);
    expect((await logIn()).status).toBe(200);
    await owner.call("DELETE", `/v1/api-keys/${successor.id}`);
    expect([(await logIn()).status, (await messages(session)).status]).toEqual([401, 401]);
  });
});

describe("the password that an assigned member set", () => {
  it("ends with the assignment, with its sessions", async () => {
    const member = await aMember(workspace, "member");
    await assign(member.userId);
    await setPassword(await aSession({ ...workspace, userId: member.userId }));
    const session = await mailboxSession();
    expect((await messages(session)).status).toBe(200);
    await assign();
    expect([(await logIn()).status, (await messages(session)).status, (await session.refresh()).status]).toEqual([
      401, 401, 401,
    ]);
  });

  it("ends when the member leaves the workspace", async () => {
    const member = await aMember(workspace, "member");
    await assign(member.userId);
    await setPassword(member);
    expect((await logIn()).status).toBe(200);
    await workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}/members/${member.userId}`);
    expect((await logIn()).status).toBe(401);
  });
});

it("the password that an owner set in a session outlasts the session, the owner's keys and the assignments", async () => {
  const owner = await aSession(workspace);
  await setPassword(owner);
  await assign(workspace.userId);
  await assign();
  await database.run("UPDATE api_keys SET revoked_at = 1 WHERE workspace = ?1", [workspace.workspaceNumber]);
  await database.run("DELETE FROM sessions WHERE user_id = ?1", [workspace.userId]);
  expect((await logIn()).status).toBe(200);
});

describe("an email that a person sent from a mailbox", () => {
  const OPEN = ["Private", "Only between us.", 200, true];
  const CLOSED = ["Private", null, 403, false];
  const sendPrivately = async (to = "friend@example.org") => {
    const draft = { to: [to], subject: "Private", text: "Only between us." };
    return (await workspace.create(`/v1/inbox/${workspace.mailboxId}/send`, draft)).id;
  };
  const readBy = async (api: Api, id: string) => {
    const detail = await (await api.get(`/v1/emails/${id}`)).json<{ subject: string; text_body: string | null }>();
    const source = await api.get(`/v1/emails/${id}/source`);
    return [detail.subject, detail.text_body, source.status, (await source.text()).includes("Only between us.")];
  };

  it("shows its content to owners, admins and assigned members, and to other members that it was sent", async () => {
    const id = await sendPrivately();
    const [member, admin] = [await aMember(workspace, "member"), await aMember(workspace, "admin")];
    expect(await readBy(workspace, id)).toEqual(OPEN);
    expect(await readBy(admin, id)).toEqual(OPEN);
    expect(await readBy(member, id)).toEqual(CLOSED);
    expect(await readBy(await aSession({ ...workspace, userId: member.userId }), id)).toEqual(CLOSED);
    await assign(member.userId);
    expect(await readBy(member, id)).toEqual(OPEN);
  });

  it("hides its content from credentials that may see emails and not read mailboxes", async () => {
    const id = await sendPrivately();
    const [owner, member] = [workspace.userId, (await aMember(workspace, "member")).userId];
    await assign(member);
    for (const userId of [owner, member]) {
      const [closed, open] = [
        ["emails:view", "inbox:write"],
        ["emails:view", "inbox:read"],
      ] as const;
      expect(await readBy(apiWith(await aKey({ ...workspace, userId }, { scopes: [...closed] })), id)).toEqual(CLOSED);
      expect(await readBy(apiWith(await aKey({ ...workspace, userId }, { scopes: [...open] })), id)).toEqual(OPEN);
    }
  });

  it("hides its content in the copy that an owner sends to itself, too", async () => {
    const id = await sendPrivately();
    const form = { idempotency_key: crypto.randomUUID() };
    const copied = await submit(await aSession(workspace), `/app/emails/${id}/copy`, form);
    const [copy = ""] = /[0-9a-f-]{36}/.exec(copied.headers.get("Location") ?? "") ?? [];
    expect(await readBy(workspace, copy)).toEqual(OPEN);
    expect(await readBy(await aMember(workspace, "member"), copy)).toEqual(CLOSED);
  });

  it("is not sent again or copied from a new mailbox with its address, whose users would read it", async () => {
    const id = await sendPrivately("bounced@simulator.test");
    await runOutboxAt(Date.now());
    await workspace.call("DELETE", path);
    const [local_part] = workspace.mailbox.split("@");
    const mailbox = await workspace.create("/v1/mailboxes/", { domain_id: workspace.domainId, local_part });
    const member = await aMember(workspace, "member");
    await workspace.call("PUT", `/v1/mailboxes/${mailbox.id}/assignees`, { user_ids: [member.userId] });
    expect(await readBy(member, id)).toEqual(CLOSED);
    for (const api of [member, workspace]) {
      const retried = await api.call("POST", `/v1/emails/${id}/retry`);
      expect([retried.status, await retried.json()]).toEqual([
        409,
        { detail: "The mailbox that sent this email was deleted" },
      ]);
    }
    const form = { idempotency_key: crypto.randomUUID() };
    expect((await submit(await aSession(workspace), `/app/emails/${id}/copy`, form)).status).toBe(404);
    expect(await (await workspace.get("/v1/emails/")).json()).toHaveLength(1);
  });
});
