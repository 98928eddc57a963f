import { beforeAll, describe, expect, it } from "vitest";
import type { AuditEntryOut } from "../../../src/identity/workspaces/audit-log/schema.ts";
import type { UserOut } from "../../../src/operations/admin/schema.ts";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { aMail, aMember, aWorkspace, perSuite } from "../../support/workspace.ts";

const workspace = perSuite(aWorkspace);
let admin: Awaited<ReturnType<typeof aSession>>;

beforeAll(async () => {
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [workspace.userId]);
  admin = await aSession(workspace);
});

const restrict = (id: string, what = "restrict") => admin.post(`/v1/admin/users/${id}/${what}`, undefined);
const userBy = async (email: string) =>
  (await admin.get(`/v1/admin/users?email=${encodeURIComponent(email)}`)).json<UserOut[]>();
const lastAudit = async (limit = 1) =>
  (await (await admin.get(`/v1/admin/audit?limit=${limit}`)).json<AuditEntryOut[]>()).map(
    ({ action, target, actor }) => ({
      action,
      target: target.id,
      by: actor?.user_id,
    }),
  );

const routes: [string, string][] = [
  ["GET", "/v1/admin/users"],
  ["POST", `/v1/admin/users/${crypto.randomUUID()}/restrict`],
  ["POST", `/v1/admin/users/${crypto.randomUUID()}/unrestrict`],
  ["GET", "/v1/admin/audit"],
  ["POST", "/v1/admin/outbox/flush"],
];

describe("the routes of platform administrators", () => {
  it("are refused to their own API keys and to sessions of others", async () => {
    const owner = await aSession(await aWorkspace());
    for (const [method, path] of routes) {
      const byKey = await workspace.call(method, path);
      expect([byKey.status, await byKey.json()], path).toEqual([
        403,
        { detail: "This endpoint takes a session, not an API key" },
      ]);
      const byOwner = await owner.call(method, path);
      expect([byOwner.status, await byOwner.json()], path).toEqual([
        403,
        { detail: "This endpoint is for administrators of the platform" },
      ]);
    }
  });

  it("are refused from the next request on when the right is taken away", async () => {
    const other = await aWorkspace();
    const session = await aSession(other);
    const set = (value: number) =>
      database.run("UPDATE users SET is_platform_admin = ?2 WHERE id = ?1", [other.userId, value]);
    await set(1);
    expect((await session.get("/v1/admin/audit")).status).toBe(200);
    await set(0);
    expect((await session.get("/v1/admin/audit")).status).toBe(403);
  });

  it("are refused to a page of another site", async () => {
    const response = await admin.post("/v1/admin/outbox/flush", undefined, { Origin: "https://evil.example" });
    expect(response.status).toBe(403);
  });
});

describe("accounts", () => {
  it("are listed in pages, or found by their address in any letter case", async () => {
    const other = await aWorkspace();
    const { email } = await database
      .row<{ email: string }>("SELECT email FROM users WHERE id = ?1", [other.userId])
      .then((row) => row ?? { email: "" });
    expect(await userBy(email.toUpperCase())).toMatchObject([{ id: other.userId, email, restricted_at: null }]);
    expect(await userBy("nobody@example.org")).toEqual([]);
    expect(await userBy("no address")).toEqual([]);
    const first = await admin.get("/v1/admin/users?limit=1");
    const [user] = await first.json<UserOut[]>();
    expect(first.headers.get("Link")).toContain(`after=${user?.id}`);
    const [next] = await (await admin.get(`/v1/admin/users?limit=1&after=${user?.id}`)).json<UserOut[]>();
    expect((next?.id ?? "") > (user?.id ?? "")).toBe(true);
    for (const query of ["limit=0", "limit=501", "after=x", "after=%00"])
      expect((await admin.get(`/v1/admin/users?${query}`)).status, query).toBe(422);
  });

  it("that are restricted cannot send or validate as sendable, with any of their credentials, until it ends", async () => {
    const other = await aWorkspace();
    const session = await aSession(other);
    const colleague = await aMember(other, "member");
    expect(await (await restrict(other.userId)).json()).toMatchObject({
      id: other.userId,
      restricted_at: expect.stringMatching(/Z$/),
    });
    for (const api of [other, session]) {
      const refused = await api.post("/v1/emails/", aMail(other));
      expect([refused.status, await refused.json()]).toEqual([
        403,
        { detail: "This account is restricted and cannot send" },
      ]);
      expect(await (await api.post("/v1/emails/validate", aMail(other))).json()).toMatchObject({ can_send: false });
    }
    expect((await other.get("/v1/emails/")).status).toBe(200);
    const byColleague = colleague.withoutQueue;
    expect((await byColleague.post("/v1/emails/", aMail(other))).status).toBe(202);
    expect(await (await restrict(other.userId, "unrestrict")).json()).toMatchObject({ restricted_at: null });
    expect((await other.withoutQueue.post("/v1/emails/", aMail(other))).status).toBe(202);
  });

  it("keep the time of the first restriction, and the audit log has one entry for it", async () => {
    const { userId } = await aWorkspace();
    const responses = await Promise.all([restrict(userId), restrict(userId), restrict(userId.toUpperCase())]);
    const times = await Promise.all(responses.map(async (result) => (await result.json<UserOut>()).restricted_at));
    expect(new Set(times).size).toBe(1);
    expect(await lastAudit(1)).toEqual([{ action: "user.restricted", target: userId, by: workspace.userId }]);
    await restrict(userId, "unrestrict");
    await restrict(userId, "unrestrict");
    expect((await lastAudit(2)).map(({ action }) => action)).toEqual(["user.unrestricted", "user.restricted"]);
  });

  it("are a 404 by an unknown id, and the own one is a 409", async () => {
    for (const id of ["nonsense", "%00", crypto.randomUUID(), "%F0%9F%98%80", "a%0D%0Ab"]) {
      expect((await restrict(id)).status, id).toBe(404);
      expect((await restrict(id, "unrestrict")).status, id).toBe(404);
    }
    expect((await restrict(workspace.userId)).status).toBe(409);
  });
});

describe("GET /v1/admin/audit", () => {
  it("lists entries of all workspaces, and of the platform, which no workspace lists", async () => {
    const [one, two] = [await aWorkspace(), await aWorkspace()];
    await one.post("/v1/suppressions/", { email: "one@example.org" });
    await two.post("/v1/suppressions/", { email: "two@example.org" });
    await restrict(one.userId);
    expect((await lastAudit(3)).map(({ target }) => target)).toEqual([
      one.userId,
      "two@example.org",
      "one@example.org",
    ]);
    const own = await (await two.get("/v1/audit")).json<AuditEntryOut[]>();
    expect(own.map(({ target }) => target.id)).toEqual(["two@example.org"]);
  });
});

describe("POST /v1/admin/outbox/flush", () => {
  it("makes emails that wait after an outage due now, and is recorded", async () => {
    const api = workspace.withoutQueue;
    const { id } = await api.create("/v1/emails/", aMail(workspace));
    const inAnHour = Date.now() + 3_600_000;
    const dueAt = () => database.value<number>("SELECT due_at FROM outbox WHERE id = ?1", [id]);
    await database.run("UPDATE outbox SET due_at = ?2, outage = 'waiting' WHERE id = ?1", [id, inAnHour]);
    const response = await admin.post("/v1/admin/outbox/flush", undefined);
    expect([response.status, await response.json()]).toEqual([200, { released: 1 }]);
    expect(await dueAt()).not.toBe(inAnHour);
    expect(await (await admin.post("/v1/admin/outbox/flush", undefined)).json()).toEqual({ released: 0 });
    expect((await lastAudit(1)).map(({ action }) => action)).toEqual(["outbox.flushed"]);
  });
});
