import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { database } from "../../support/databases.ts";
import { aKey, aMember, apiOn, apiWith, perTest } from "../../support/workspace.ts";
import { anInbox } from "./support.ts";

const inbox = perTest(anInbox);

beforeEach(async () => {
  await inbox.receive();
});

const openings = async () => {
  const results = await database.rows<{ user_id: string; detail: string }>(
    "SELECT user_id, credential_id, detail FROM audit_log WHERE workspace = ?1 AND action = 'opened as' ORDER BY id",
    [inbox.workspace.workspaceNumber],
  );
  return results;
};
const assign = (...user_ids: string[]) =>
  inbox.workspace.call("PUT", `/v1/mailboxes/${inbox.workspace.mailboxId}/assignees`, { user_ids });
const list = (api: Pick<ReturnType<typeof apiWith>, "get">) => api.get(inbox.path("/messages"));

describe("an owner or admin who is not assigned", () => {
  it("opens the mailbox with one audit entry an hour for each credential", async () => {
    const admin = await aMember(inbox.workspace, "admin");
    expect((await list(admin)).status).toBe(200);
    expect((await list(admin)).status).toBe(200);
    expect((await list(inbox.workspace)).status).toBe(200);
    expect((await openings()).map(({ user_id, detail }) => [user_id, JSON.parse(detail)])).toEqual([
      [admin.userId, { opened_as: "admin" }],
      [inbox.workspace.userId, { opened_as: "owner" }],
    ]);
    await database.run("UPDATE mailbox_openings SET expires_at = 0");
    await list(admin);
    expect((await openings()).length).toBe(3);
  });

  it("gets nothing when the audit entry cannot be written", async () => {
    const failing = {
      prepare: (sql: string) => env.DB.prepare(sql.includes("INSERT INTO audit_log") ? "SELECT json('x')" : sql),
      batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
    };
    let reads = 0;
    const mailbox = {
      getByName: () => {
        reads += 1;
        return {};
      },
    };
    expect((await list(apiOn({ DB: failing, MAILBOX: mailbox }, inbox.workspace.apiKey))).status).toBe(500);
    expect([reads, await openings()]).toEqual([0, []]);
  });
});

describe("a member", () => {
  it("opens the mailboxes that it is assigned to, without an audit entry, and no others", async () => {
    const member = await aMember(inbox.workspace, "member");
    const refused = await list(member);
    expect([refused.status, await refused.json()]).toEqual([403, { detail: "You are not assigned to this mailbox" }]);
    await assign(member.userId);
    expect((await list(member)).status).toBe(200);
    await assign();
    expect((await list(member)).status).toBe(403);
    expect(await openings()).toEqual([]);
  });
});

it("a response with an Idempotency-Key is not repeated to those who may not open the mailbox", async () => {
  const bodies = { "/drafts": { subject: "A" }, "/labels": { name: "A", color: "#ff0000" }, "/folders": { name: "A" } };
  const send = { to: ["friend@example.org"], subject: "A", text: "A" };
  const member = await aMember(inbox.workspace, "member");
  for (const [suffix, body] of Object.entries({ ...bodies, "/send": send })) {
    const post = (api: Pick<ReturnType<typeof apiWith>, "post">) =>
      api.post(inbox.path(suffix), body, { "Idempotency-Key": "one guessed key".concat(suffix) });
    expect((await post(inbox.workspace)).ok, suffix).toBe(true);
    const refused = await post(member);
    expect([refused.status, await refused.json()], suffix).toEqual([
      403,
      { detail: "You are not assigned to this mailbox" },
    ]);
    expect((await post(inbox.workspace)).headers.get("Idempotency-Replayed"), suffix).toBe("true");
  }
});

describe("an API key", () => {
  it("restricted to other domains does not see the mailbox, and leaves no audit entry", async () => {
    const key = await aKey(inbox.workspace, { domainIds: [crypto.randomUUID()] });
    expect((await list(apiWith(key))).status).toBe(404);
    expect(await openings()).toEqual([]);
  });

  it("with inbox:read reads and does not write", async () => {
    const api = apiWith(await aKey(inbox.workspace, { scopes: ["inbox:read"] }));
    expect((await list(api)).status).toBe(200);
    expect((await api.post(inbox.path("/messages/1/flags"), { seen: true })).status).toBe(403);
  });
});

describe("a mailbox session", () => {
  const password = "correct horse battery staple";
  const signIn = async () => {
    await inbox.workspace.call("PUT", `/v1/mailboxes/${inbox.workspace.mailboxId}/password`, { password });
    const response = await apiWith(null).post("/v1/webmail/login", { email: inbox.workspace.mailbox, password });
    return apiWith((await response.json<{ access_token: string }>()).access_token);
  };

  it("uses its own mailbox, without an audit entry", async () => {
    const api = await signIn();
    expect((await list(api)).status).toBe(200);
    expect((await api.post(inbox.path("/messages/1/flags"), { seen: true })).status).toBe(200);
    expect(await openings()).toEqual([]);
  });

  it("opens no other mailbox, of its own workspace or another, and no other endpoint", async () => {
    const api = await signIn();
    const { id } = await inbox.workspace.create("/v1/mailboxes/", {
      domain_id: inbox.workspace.domainId,
      local_part: "desk",
    });
    const foreign = await anInbox();
    const unknown = await api.get(`/v1/inbox/${crypto.randomUUID()}/messages`);
    const expected = [unknown.status, await unknown.text()];
    expect(expected[0]).toBe(403);
    for (const mailboxId of [id, foreign.workspace.mailboxId]) {
      const response = await api.get(`/v1/inbox/${mailboxId}/messages`);
      expect([response.status, await response.text()]).toEqual(expected);
    }
    for (const path of ["/v1/me", "/v1/emails/", "/v1/mailboxes/", "/v1/domains/"])
      expect((await api.get(path)).status, path).toBe(401);
  });

  it("ends with the password, the mailbox and the domain", async () => {
    const changed = await signIn();
    const api = await signIn();
    expect((await list(changed)).status).toBe(401);
    await inbox.workspace.call("PATCH", `/v1/mailboxes/${inbox.workspace.mailboxId}`, { is_active: false });
    expect((await list(api)).status).toBe(401);
    await inbox.workspace.call("PATCH", `/v1/mailboxes/${inbox.workspace.mailboxId}`, { is_active: true });
    expect((await list(api)).status).toBe(200);
    await database.run("UPDATE domains SET status = 'pending' WHERE id = ?1", [inbox.workspace.domainId]);
    expect((await list(api)).status).toBe(401);
  });
});
