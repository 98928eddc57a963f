import { describe, expect, it } from "vitest";
import type { WorkspaceOut } from "../../../src/identity/workspaces/schema.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { apiWithCookies, aSession, cookiesOf } from "../../support/sessions.ts";
import { aKey, aMail, aMember, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

const path = () => `/v1/workspaces/${workspace.workspaceId}`;
const patch = (body: unknown) => workspace.call("PATCH", path(), body);
const create = async (body: unknown, headers?: Record<string, string>) =>
  (await aSession(workspace)).post("/v1/workspaces/", body, headers);
const idsOf = async (response: Response) => (await response.json<WorkspaceOut[]>()).map(({ id }) => id);

describe("POST /v1/workspaces/", () => {
  it("creates a workspace that its creator owns and a session switches to", async () => {
    const session = await aSession(workspace);
    const response = await session.post("/v1/workspaces/", { name: "  Café & Söhne  " });
    const created = await response.json<WorkspaceOut>();
    expect([response.status, created]).toEqual([
      201,
      {
        id: expect.any(String),
        name: "Café & Söhne",
        slug: expect.stringMatching(/^cafe-so?hne-|^caf/),
        role: "owner",
        sending_paused: false,
        bulk_paused_at: null,
        paused_sources: [],
        settings: {
          tracking_opens: null,
          tracking_clicks: null,
          time_zone: null,
          retention_days: null,
          brand: { logo_url: null, color: null, address: null },
          slack_webhook_url: false,
        },
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect(await idsOf(await session.get("/v1/workspaces/"))).toEqual([workspace.workspaceId, created.id]);
    expect(await idsOf(await workspace.get("/v1/workspaces/"))).toEqual([workspace.workspaceId]);
    expect(await (await session.get(`/v1/workspaces/${created.id}`)).json()).toEqual(created);
    for (const method of ["PATCH", "DELETE"])
      expect((await session.call(method, `/v1/workspaces/${created.id}`, { name: "Other" })).status, method).toBe(409);
    expect((await workspace.get(`/v1/workspaces/${created.id}`)).status).toBe(404);
    expect((await session.post("/auth/workspace", { org_id: created.id })).status).toBe(200);
    const inside = await aSession({ ...workspace, workspaceId: created.id });
    expect(await (await inside.get(`/v1/workspaces/${created.id}`)).json()).toEqual(created);
    expect((await readAudit(inside))[0]).toMatchObject({ action: "workspace.created", target: { id: created.id } });
  });

  it("gives two workspaces of one name two slugs", async () => {
    const slugs = await Promise.all(
      [1, 2].map(async () => (await (await create({ name: "日本" })).json<WorkspaceOut>()).slug),
    );
    expect(new Set(slugs).size).toBe(2);
    for (const slug of slugs) expect(slug).toMatch(/^workspace-[0-9a-f]{6}$/);
  });

  it("creates once and replays the response when a call is repeated with its Idempotency-Key", async () => {
    const responses = await Promise.all([1, 2, 3].map(() => create({ name: "Once" }, { "Idempotency-Key": "k" })));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(await Promise.all(responses.map((result) => result.text()))).size).toBe(1);
    const session = await aSession(workspace);
    expect(await idsOf(await session.get("/v1/workspaces/"))).toHaveLength(2);
  });

  it("is refused to members, and to API keys, which would never see the workspace", async () => {
    const { userId } = await aMember(workspace, "member");
    const member = await aSession({ ...workspace, userId });
    expect((await member.post("/v1/workspaces/", { name: "No" })).status).toBe(403);
    expect((await workspace.post("/v1/workspaces/", { name: "No" })).status).toBe(403);
    expect(await idsOf(await (await aSession(workspace)).get("/v1/workspaces/"))).toEqual([workspace.workspaceId]);
    const restricted = apiWith(await aKey(workspace, { domainIds: [workspace.domainId] }));
    expect((await restricted.call("PATCH", path(), { name: "No" })).status).toBe(403);
  });

  it("returns 422 to an invalid name, 413 to a huge body and 415 to one that is not JSON", async () => {
    for (const name of [undefined, null, 1, "", "  ", "a\r\nb", "a\u0000b", "\ud800", "n".repeat(101), []]) {
      expect((await create({ name })).status, JSON.stringify(name)).toBe(422);
      if (name !== undefined) expect((await patch({ name })).status, JSON.stringify(name)).toBe(422);
    }
    expect((await create({ name: "😀".repeat(100) })).status).toBe(201);
    expect((await create("")).status).toBe(422);
    expect((await create({ name: "a" }, { "Content-Type": "text/plain" })).status).toBe(415);
  });
});

describe("PATCH /v1/workspaces/{workspace_id}", () => {
  it("changes the given fields and keeps the others; null is the default of a setting", async () => {
    const first = await (
      await patch({ settings: { tracking_opens: false, tracking_clicks: true } })
    ).json<WorkspaceOut>();
    expect(first.settings).toEqual({
      tracking_opens: false,
      tracking_clicks: true,
      time_zone: null,
      retention_days: null,
      brand: { logo_url: null, color: null, address: null },
      slack_webhook_url: false,
    });
    const second = await (await patch({ name: "New", settings: { tracking_clicks: null } })).json<WorkspaceOut>();
    expect(second).toMatchObject({
      name: "New",
      slug: first.slug,
      settings: { tracking_opens: false, tracking_clicks: null },
    });
    expect(await (await patch({})).json()).toEqual(second);
    expect(await (await patch({ settings: {} })).json()).toEqual(second);
    expect(await (await workspace.get(path())).json()).toEqual(second);
    expect((await readAudit(workspace)).map(({ action, detail }) => [action, detail])).toEqual([
      ["workspace.updated", { settings: { tracking_opens: false, tracking_clicks: true } }],
      ["workspace.updated", { name: "New", settings: { tracking_clicks: null } }],
    ]);
  });

  it("pauses sending from the next request on, and ends the pause", async () => {
    expect(await (await patch({ sending_paused: true })).json()).toMatchObject({ sending_paused: true });
    const refused = await workspace.post("/v1/emails/", aMail(workspace));
    expect([refused.status, await refused.json()]).toEqual([403, { detail: "Sending is paused for this workspace" }]);
    const [{ at = 0 } = {}] = await database.rows<{ at: number }>(
      "SELECT sending_paused_at AS at FROM workspaces WHERE id = ?1",
      [workspace.workspaceId],
    );
    await patch({ sending_paused: true });
    const again = database
      .prepare("SELECT sending_paused_at AS at FROM workspaces WHERE id = ?1")
      .bind(workspace.workspaceId);
    expect(await again.first("at")).toBe(at);
    expect(await (await patch({ sending_paused: false })).json()).toMatchObject({ sending_paused: false });
    expect((await workspace.post("/v1/emails/", aMail(workspace))).status).toBe(202);
  });

  it("stores a Slack webhook encrypted and never shows it", async () => {
    const url = "https://hooks.slack.com/services/T00000000/B00000000/seededSlackSecret00000000";
    const response = await patch({ settings: { slack_webhook_url: url } });
    const text = await response.text();
    expect([response.status, JSON.parse(text).settings.slack_webhook_url]).toEqual([200, true]);
    const row = JSON.stringify(await database.row("SELECT * FROM workspaces WHERE id = ?1", [workspace.workspaceId]));
    for (const shown of [text, row, JSON.stringify(await readAudit(workspace))]) expect(shown).not.toContain("seeded");
    expect(await (await patch({ settings: { slack_webhook_url: null } })).json()).toMatchObject({
      settings: { slack_webhook_url: false },
    });
  });

  it("returns 422 to a setting of the wrong type and to a URL that is no Slack webhook", async () => {
    for (const settings of [
      1,
      [],
      { tracking_opens: "yes" },
      { slack_webhook_url: "" },
      { slack_webhook_url: "http://hooks.slack.com/services/T/B/x" },
      { slack_webhook_url: "https://hooks.slack.com.evil.example/services/T/B/x" },
      { slack_webhook_url: "https://hooks.slack.com@evil.example/services/T/B/x" },
      { slack_webhook_url: "https://hooks.slack.com:8443/services/T/B/x" },
      { slack_webhook_url: "https://127.0.0.1/services/T/B/x" },
      { slack_webhook_url: "https://hooks.slack.com/services/T/B/x\r\nHost: a" },
      { slack_webhook_url: `https://hooks.slack.com/services/${"x".repeat(500)}` },
    ])
      expect((await patch({ settings })).status, JSON.stringify(settings)).toBe(422);
    for (const sending_paused of [null, 1, "true"]) expect((await patch({ sending_paused })).status).toBe(422);
  });

  it("ignores unknown fields, also those of an internal column", async () => {
    const before = await (await workspace.get(path())).json();
    const response = await patch({ slug: "taken", number: 1, role: "owner", settings: { __proto__: 1, admin: true } });
    expect([response.status, await response.json()]).toEqual([200, before]);
  });
});

describe("DELETE /v1/workspaces/{workspace_id}", () => {
  it("lets the sessions of users with another workspace go on there, in the browser that deleted it at once", async () => {
    const session = await aSession(workspace);
    const { id } = await (await session.post("/v1/workspaces/", { name: "Another" })).json<WorkspaceOut>();
    const elsewhere = await aSession(workspace);
    const deleted = await session.call("DELETE", path());
    expect(deleted.status).toBe(204);
    const next = apiWithCookies(cookiesOf(deleted));
    expect(await (await next.get("/v1/me")).json()).toMatchObject({ workspace: { id }, role: "owner" });
    const refreshed = await elsewhere.post("/auth/refresh", undefined);
    expect(refreshed.status).toBe(200);
    const other = apiWithCookies(cookiesOf(refreshed));
    expect(await (await other.get("/v1/me")).json()).toMatchObject({ workspace: { id } });
  });

  it("ends the sessions of users without another workspace", async () => {
    const session = await aSession(workspace);
    const response = await session.call("DELETE", path());
    expect([response.status, cookiesOf(response)]).toEqual([204, { session: "", refresh: "" }]);
    expect((await session.get("/v1/me")).status).toBe(401);
    const results = await database.rows("SELECT 1 FROM sessions WHERE workspace = ?1", [workspace.workspaceNumber]);
    expect(results).toEqual([]);
  });
});
