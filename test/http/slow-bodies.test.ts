import { afterEach, expect, it, vi } from "vitest";
import { database } from "../support/databases.ts";
import { aSession } from "../support/sessions.ts";
import { aKey, aMember, apiOn, aWorkspace, discardingQueue, perTest, testContext } from "../support/workspace.ts";

/** A body that arrives slowly: what a request asks for happens after its end, when the right of its caller may have ended. */

const workspace = perTest(aWorkspace);
afterEach(() => {
  vi.useRealTimers();
});

/** A body whose last byte arrives after `meanwhile`, `ms` later. */
function slowBody(value: unknown, meanwhile: () => Promise<unknown>, ms = 3_001) {
  const bytes = new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
  const parts = [bytes.slice(0, -1), bytes.slice(-1)];
  return new ReadableStream({
    async pull(controller) {
      const part = parts.shift();
      if (part === undefined) return controller.close();
      if (parts.length === 0) {
        await meanwhile();
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
      }
      controller.enqueue(part);
    },
  });
}

// The other functions that call the Worker read a body ahead, so it would end before its caller is authenticated.
const callerOf = (key: string | null) => apiOn({ WORK: discardingQueue }, key);

/** Calls with the cookie of a session. */
async function ofSession(userId: string, ctx = testContext()) {
  const { tokens } = await aSession({ ...workspace, userId }, { ctx });
  const cookie = { Cookie: `session=${tokens.accessToken}`, Origin: "http://api.test" };
  return {
    call: (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
      callerOf(null).call(method, path, body, { ...cookie, ...headers }),
  };
}

const member = (userId: string) => `/v1/workspaces/${workspace.workspaceId}/members/${userId}`;
const ofAdmin = async () => {
  const admin = await aMember(workspace, "admin");
  const key = callerOf(await aKey({ ...workspace, userId: admin.userId }));
  return { ...admin, key, session: await ofSession(admin.userId) };
};
const rule = () => ({ mailbox_id: workspace.mailboxId, action: { type: "mailbox", target: workspace.mailboxId } });
const countRules = async () =>
  (await database.rows("SELECT 1 FROM forwarding_rules WHERE workspace = ?1", [workspace.workspaceNumber])).length;

it("of a key or session whose user was removed meanwhile is a 401, and nothing is done", async () => {
  for (const by of ["key", "session"] as const) {
    const admin = await ofAdmin();
    const remove = () => workspace.call("DELETE", member(admin.userId));
    const response = await admin[by].call("POST", "/v1/forwarding-rules/", slowBody(rule(), remove));
    vi.useRealTimers();
    expect([by, response.status]).toEqual([by, 401]);
  }
  expect(await countRules()).toBe(0);
});

it("of an admin who became a member meanwhile is a 403", async () => {
  const admin = await ofAdmin();
  const demote = () => workspace.call("PATCH", member(admin.userId), { role: "member" });
  const email = { to: ["ada@example.org"], subject: "x", text: "x" };
  const response = await admin.key.call("POST", `/v1/inbox/${workspace.mailboxId}/send`, slowBody(email, demote));
  expect(response.status).toBe(403);
});

it("of a form of a page is refused, too", async () => {
  const admin = await ofAdmin();
  const remove = () => workspace.call("DELETE", member(admin.userId));
  const form = slowBody("name=Later", remove);
  const type = { "Content-Type": "application/x-www-form-urlencoded" };
  const response = await admin.session.call("POST", `/mail/folders/${workspace.mailboxId}`, form, type);
  expect(response.status).toBe(401);
});

it("of a form of webmail is refused when its member is no longer assigned", async () => {
  const { userId } = await aMember(workspace, "member");
  const assign = (...user_ids: string[]) =>
    workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids });
  await assign(userId);
  const session = await ofSession(userId);
  const form = slowBody("to=ada%40example.org&subject=x&text=x&action=now", () => assign());
  const type = { "Content-Type": "application/x-www-form-urlencoded" };
  const response = await session.call("POST", `/mail/compose/${workspace.mailboxId}`, form, type);
  expect(response.status).toBe(403);
});

it("of a caller whose right goes on is served, also when its token expires meanwhile", async () => {
  const admin = await ofAdmin();
  // Its token is valid for another five seconds.
  const session = await ofSession(
    admin.userId,
    testContext({}, () => Date.now() - 3_595_000),
  );
  for (const api of [admin.key, session]) {
    const body = slowBody(rule(), async () => {}, 10_000);
    const response = await api.call("POST", "/v1/forwarding-rules/", body);
    vi.useRealTimers();
    expect(response.status).toBe(201);
  }
});
