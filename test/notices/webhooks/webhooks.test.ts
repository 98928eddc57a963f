import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { onMain } from "../../../src/platform/jobs/shards.ts";
import { runOutboxRows } from "../../../src/run-outbox.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { aKey, aWorkspace, perSuite, testContext } from "../../support/workspace.ts";
import { aReceiver, endpointOf, forgetDue, runAt, type Webhook, webhooksOf } from "./support.ts";

const workspace = perSuite(aWorkspace);
const api = perSuite(() => webhooksOf(workspace));

beforeEach(async () => void (await forgetDue()));

describe("POST /v1/webhooks/", () => {
  it("makes a secret that no other response shows and that is stored encrypted", async () => {
    const created = await api.create(aReceiver().url, ["email.sent", "email.sent", "email.bounced"]);
    expect(created).toMatchObject({ events: ["email.sent", "email.bounced"], is_active: true });
    expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const masked = { ...created, secret: `whsec_****${created.secret.slice(-4)}` };
    expect(await (await api.get(`/v1/webhooks/${created.id}`)).json()).toEqual(masked);
    expect(await (await api.get("/v1/webhooks/")).json()).toContainEqual(masked);
    const row = await database.row("SELECT * FROM webhooks WHERE id = ?1", [created.id]);
    expect(JSON.stringify(row)).not.toContain(created.secret.slice(6, 40));
  });

  it("says that events are not delivered while live webhooks are off, and says nothing while they are on", async () => {
    const body = { url: aReceiver().url, events: ["email.sent"] };
    const created = await (await webhooksOf(workspace, { LIVE_WEBHOOKS: "off" }).post("/v1/webhooks/", body)).json();
    expect(created).toMatchObject({
      warning:
        "Events are not delivered to this webhook: LIVE_WEBHOOKS is off in this deployment. Tests are delivered.",
    });
    expect(await api.create(body.url, body.events)).not.toHaveProperty("warning");
  });

  it("refuses an unknown event, none, and a URL that is missing, too long or not public", async () => {
    const url = aReceiver().url;
    const events = ["email.sent"];
    const bodies: [object, (string | number)[]][] = [
      [{ url, events: ["email.queued"] }, ["body", "events", 0]],
      [{ url, events: [] }, ["body", "events"]],
      [{ url }, ["body", "events"]],
      [{ events }, ["body", "url"]],
      [{ url: `https://example.org/${"x".repeat(2048)}`, events }, ["body", "url"]],
      [{ url: "http://example.org/", events }, ["body", "url"]],
      [{ url: "https://10.0.0.1/", events }, ["body", "url"]],
      [{ url: "https://hook.example.org/\r\nHost: x", events }, ["body", "url"]],
    ];
    for (const [body, loc] of bodies) {
      const response = await api.post("/v1/webhooks/", body);
      expect(response.status, JSON.stringify(body).slice(0, 100)).toBe(422);
      expect((await response.json<{ detail: { loc: unknown }[] }>()).detail[0]?.loc).toEqual(loc);
    }
  });

  it("returns the same webhook and secret to a repeated Idempotency-Key", async () => {
    const body = { url: aReceiver().url, events: ["email.sent"] };
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const both = await Promise.all([1, 2].map(() => api.post("/v1/webhooks/", body, headers)));
    const [first, second] = await Promise.all(both.map((response) => response.json<Webhook>()));
    expect(second).toEqual(first);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
  });

  it("refuses the 51st webhook of a workspace with 409, also of several at once", async () => {
    const full = webhooksOf(await aWorkspace());
    const bodies = Array.from({ length: 53 }, () => ({ url: aReceiver().url, events: ["email.sent"] }));
    const responses = await Promise.all(bodies.map((body) => full.post("/v1/webhooks/", body)));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    expect(statuses.filter((status) => status === 409)).toHaveLength(3);
  });

  it("refuses a key that is restricted to domains with 403", async () => {
    const key = await aKey(workspace, { domainIds: [workspace.domainId] });
    const restricted = webhooksOf({ apiKey: key });
    const { id } = await api.create(aReceiver().url);
    expect((await restricted.post("/v1/webhooks/", { url: aReceiver().url, events: ["email.sent"] })).status).toBe(403);
    expect((await restricted.get("/v1/webhooks/")).status).toBe(403);
    expect((await restricted.get(`/v1/webhooks/${id}`)).status).toBe(403);
  });
});

describe("PATCH /v1/webhooks/{webhook_id}", () => {
  it("changes each field alone, and nothing without one", async () => {
    const before = await api.create(aReceiver().url);
    const masked = { ...before, secret: `whsec_****${before.secret.slice(-4)}` };
    const url = aReceiver().url;
    const patch = async (body: object) => (await api.call("PATCH", `/v1/webhooks/${before.id}`, body)).json();
    expect(await patch({})).toEqual(masked);
    expect(await patch({ url })).toEqual({ ...masked, url });
    expect(await patch({ events: ["email.opened"] })).toEqual({ ...masked, url, events: ["email.opened"] });
    expect(await patch({ is_active: false })).toEqual({ ...masked, url, events: ["email.opened"], is_active: false });
    expect(await endpointOf(before.id)).toMatchObject({ events: "[]", version: 4 });
    expect(await patch({ is_active: true })).toMatchObject({ is_active: true });
    expect(await endpointOf(before.id)).toMatchObject({ events: '["email.opened"]', version: 5 });
    for (const body of [
      { url: null },
      { events: null },
      { is_active: null },
      { is_active: "no" },
      { url: "https://127.1/" },
    ])
      expect((await api.call("PATCH", `/v1/webhooks/${before.id}`, body)).status, JSON.stringify(body)).toBe(422);
  });

  it("keeps every change of several calls at once", async () => {
    const { id } = await api.create(aReceiver().url);
    const bodies = [{ url: aReceiver().url }, { events: ["email.clicked"] }, { is_active: false }];
    await Promise.all(bodies.map((body) => api.call("PATCH", `/v1/webhooks/${id}`, body)));
    expect(await (await api.get(`/v1/webhooks/${id}`)).json()).toMatchObject(Object.assign({}, ...bodies));
    expect(await endpointOf(id)).toMatchObject({ events: "[]", version: 4 });
  });

  it("hides a paused webhook from the list, except with include=paused", async () => {
    const { id } = await api.create(aReceiver().url);
    await api.call("PATCH", `/v1/webhooks/${id}`, { is_active: false });
    const ids = async (query: string) =>
      (await (await api.get(`/v1/webhooks/${query}`)).json<Webhook[]>()).map((one) => one.id);
    expect(await ids("")).not.toContain(id);
    expect(await ids("?include=paused")).toContain(id);
    expect((await api.get("/v1/webhooks/?include=all")).status).toBe(422);
  });

  it("shows a rotated secret once and records no secret in the audit log", async () => {
    const { id, secret } = await api.create(aReceiver().url);
    const rotated = await (await api.call("PATCH", `/v1/webhooks/${id}`, { rotate_secret: true })).json<Webhook>();
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rotated.secret).not.toBe(secret);
    expect(await (await api.get(`/v1/webhooks/${id}`)).json()).toMatchObject({
      secret: `whsec_****${rotated.secret.slice(-4)}`,
    });
    const entries = (await readAudit(workspace)).filter(({ target }) => target.id === id);
    expect(entries.map(({ action }) => action)).toEqual(["webhook.created", "webhook.updated"]);
    expect(JSON.stringify(entries)).not.toContain("whsec_");
  });
});

describe("the copy of a webhook in the mail database", () => {
  it("is made by cron when the request could not make it", async () => {
    const down = {
      prepare: () => {
        throw new Error("the database is down");
      },
      batch: async () => {
        throw new Error("the database is down");
      },
    };
    const { id } = await webhooksOf(workspace, { MAIL_0: down, MAIL_1: down }).create(aReceiver().url, ["email.sent"]);
    expect(await endpointOf(id)).toBeNull();
    const ctx = onMain(testContext());
    const { results } = await env.DB.prepare(
      "SELECT due_at AS dueAt, id, kind FROM outbox WHERE kind = 'webhook' AND ref->>'id' = ?1",
    )
      .bind(id)
      .all<{ dueAt: number; id: string; kind: "webhook" }>();
    await runOutboxRows(ctx, results);
    expect(await endpointOf(id)).toMatchObject({ events: '["email.sent"]', version: 1 });
    expect(
      await env.DB.prepare("SELECT count(*) AS n FROM outbox WHERE kind = 'webhook' AND ref->>'id' = ?1")
        .bind(id)
        .first("n"),
    ).toBe(0);
  });
});

describe("DELETE /v1/webhooks/{webhook_id}", () => {
  it("ends the deliveries that are not sent and keeps the log", async () => {
    const receiver = aReceiver();
    const { id } = await api.create(receiver.url);
    await api.post(`/v1/webhooks/${id}/test`, undefined);
    const [delivery] = (await api.deliveries(id)).items;
    expect((await api.call("DELETE", `/v1/webhooks/${id}`)).status).toBe(204);
    expect((await api.call("DELETE", `/v1/webhooks/${id}`)).status).toBe(404);
    expect((await api.get(`/v1/webhooks/${id}/deliveries`)).status).toBe(404);
    await runAt(Date.now());
    expect(await api.delivery(delivery?.id ?? "")).toMatchObject({
      status: "failed",
      error: "the webhook was deleted",
    });
    expect(await receiver.requests()).toEqual([]);
  });
});

describe("the delivery log", () => {
  it("returns pages, totals and each status, and reads no more rows than the pages up to it", async () => {
    const { id } = await api.create(aReceiver().url);
    const rows = Array.from({ length: 250 }, (_, n) => ({
      id: testContext().newId(),
      status: n % 5 === 0 ? "failed" : "delivered",
    }));
    const db = testContext().mail;
    await db
      .prepare(
        `INSERT INTO webhook_deliveries (id, workspace, endpoint, webhook_id, email, event_type, payload, status, created_at)
         SELECT value->>'id', ?2, ?3, ?3, 'e', 'email.sent', '{}', 'pending', ?4 FROM json_each(?1)`,
      )
      .bind(JSON.stringify(rows), workspace.workspaceNumber, id, Date.now())
      .run();
    await db
      .prepare(
        "UPDATE webhook_deliveries SET status = j.value->>'status' FROM json_each(?1) j WHERE webhook_deliveries.id = j.value->>'id'",
      )
      .bind(JSON.stringify(rows))
      .run();
    const newest = rows.toReversed().map((row) => row.id);
    const first = await api.deliveries(id);
    expect(first).toMatchObject({ total: 250, page: 0, limit: 20 });
    expect(first.items.map((item) => item.id)).toEqual(newest.slice(0, 20));
    const failed = await api.deliveries(id, "?status=failed&page=1&limit=30");
    expect(failed).toMatchObject({ total: 50, page: 1, limit: 30 });
    expect(failed.items).toHaveLength(20);
    expect(failed.items.every(({ status }) => status === "failed")).toBe(true);
    const next = await api.deliveries(id, `?before=${newest[19]}&limit=5`);
    expect(next.items.map((item) => item.id)).toEqual(newest.slice(20, 25));
    expect(await api.deliveries(id, "?status=retrying")).toMatchObject({ total: 0, items: [] });
    expect((await api.get(`/v1/webhooks/${id}/deliveries?status=lost`)).status).toBe(422);
    expect((await api.get(`/v1/webhooks/${id}/deliveries?limit=101`)).status).toBe(422);
  });
});
