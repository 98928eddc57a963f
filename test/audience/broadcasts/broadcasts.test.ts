import { describe, expect, it } from "vitest";
import type { BroadcastOut } from "../../../src/audience/broadcasts/schema.ts";
import { register } from "../../support/domains.ts";
import { aKey, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { aContactList, broadcastsOf } from "./support.ts";

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

const post = (body: unknown, headers?: Record<string, string>) => broadcasts.api.post(broadcasts.path(), body, headers);
const patch = (id: string, body: unknown) => broadcasts.api.call("PATCH", broadcasts.path(id), body);
const minimal = () => ({ name: "n", subject: "s", from_address: workspace.mailbox });

describe("POST /v1/broadcasts/", () => {
  it("creates a draft with every field, which GET returns too", async () => {
    const made = await broadcasts.create({ from_address: `"Shop, Inc." <${workspace.mailbox}>`, ab_test_pct: 99 });
    expect(made).toEqual({
      topic_id: null,
      segment_id: null,
      ...{ id: expect.any(String), org_id: workspace.workspaceId, user_id: workspace.userId },
      ...{ ab_auto_promote: null, ab_promotion_reason: null, more_contact_list_ids: [] },
      ...{
        contact_list_id: null,
        mailbox_id: null,
        name: "Newsletter",
        language: "placeholders",
        subject: "News for {{name}}",
        preheader: null,
      },
      ...{ html_body: "<p>Hello {{name}} of {{city}}</p>", text_body: null, reply_to: null, status: "draft" },
      ...{ from_address: `"Shop, Inc." <${workspace.mailbox}>`, scheduled_at: null, sent_at: null, paused_at: null },
      ...{ ab_test_pct: 90, ab_winner_variant_id: null, ab_promoted_at: null, max_per_hour: null },
      ...{ recipient_count: 0, queued_count: 0, skipped_count: 0, delivered_count: 0, bounced_count: 0 },
      ...{ failed_count: 0, cancelled_count: 0, unsubscribed_count: 0, complained_count: 0, local_time_field: null },
      ...{
        opened_count: 0,
        clicked_count: 0,
        web_version_url: null,
        blocks_json: null,
        text_from_html: true,
        created_at: expect.stringMatching(/Z$/),
        updated_at: made.created_at,
      },
    });
    expect(await broadcasts.read(made.id)).toEqual(made);
  });

  for (const [what, changes, status] of [
    ["no name", { name: undefined }, 422],
    ["a subject with a line break", { subject: "a\r\nb" }, 422],
    ["no sender", { from_address: undefined }, 422],
    ["a sender that is no address", { from_address: "Ada" }, 422],
    ["a sender whose name reads as another address", { from_address: "ceo@bank.example <a@example.com>" }, 422],
    ["a reply_to that is no address", { reply_to: "x" }, 422],
    ["a sample of 0 percent", { ab_test_pct: 0 }, 422],
    ["a sample of 100 percent", { ab_test_pct: 100 }, 422],
    ["a sample of 1.5 percent", { ab_test_pct: 1.5 }, 422],
    ["max_per_hour 0", { max_per_hour: 0 }, 422],
    ["a time without offset", { scheduled_at: "2030-01-01T00:00:00" }, 422],
    ["a list that does not exist", { contact_list_id: crypto.randomUUID() }, 404],
    ["a mailbox that does not exist", { mailbox_id: crypto.randomUUID() }, 404],
    ["content that is too large", { html_body: '"'.repeat(600_000) }, 413],
  ] as const) {
    it(`returns ${status} to ${what}`, async () => {
      expect((await post({ ...minimal(), ...changes })).status).toBe(status);
    });
  }

  it("creates once when a call is repeated with its Idempotency-Key", async () => {
    const responses = await Promise.all([1, 2].map(() => post(minimal(), { "Idempotency-Key": "k" })));
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
    expect(await (await broadcasts.api.get(broadcasts.path())).json()).toHaveLength(1);
  });
});

describe("GET /v1/broadcasts/", () => {
  it("lists the newest first, of one status, in pages", async () => {
    const made = [];
    for (const name of ["a", "b", "c"]) made.push(await broadcasts.create({ name }));
    await patch(made[1]?.id ?? "", { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    const names = async (query: string) =>
      (await (await broadcasts.api.get(`${broadcasts.path()}${query}`)).json<BroadcastOut[]>()).map(({ name }) => name);
    expect(await names("")).toEqual(["c", "b", "a"]);
    expect(await names("?status=scheduled")).toEqual(["b"]);
    const first = await broadcasts.api.get(`${broadcasts.path()}?limit=2`);
    expect(await names(`?${/before=[^>]*/.exec(first.headers.get("Link") ?? "")?.[0]}`)).toEqual(["a"]);
    for (const query of ["?status=x", "?limit=0", "?limit=201", "?before=x"])
      expect((await broadcasts.api.get(`${broadcasts.path()}${query}`)).status).toBe(422);
  });

  it("a key restricted to domains sees and changes only broadcasts with a sender there", async () => {
    const other = await register(workspace);
    const hidden = await broadcasts.create({ from_address: `a@${other.name}` });
    const shown = await broadcasts.create();
    const api = apiWith(await aKey(workspace, { domainIds: [workspace.domainId] }));
    const list = await (await api.get(broadcasts.path())).json<BroadcastOut[]>();
    expect(list.map(({ id }) => id)).toEqual([shown.id]);
    expect((await api.get(broadcasts.path(hidden.id))).status).toBe(404);
    expect((await api.call("DELETE", broadcasts.path(hidden.id))).status).toBe(404);
  });
});

describe("PATCH and DELETE /v1/broadcasts/{broadcast_id}", () => {
  it("changes the given fields, null included, and moves between draft and scheduled", async () => {
    const contact_list_id = await aContactList(workspace, 1);
    const made = await broadcasts.create({ contact_list_id, preheader: "p" });
    const changed = async (body: unknown) => (await patch(made.id, body)).json<BroadcastOut>();
    expect(await changed({})).toEqual(made);
    expect(await changed({ name: "x", preheader: null, ab_test_pct: 1 })).toMatchObject({
      ...{ name: "x", preheader: null, ab_test_pct: 5, contact_list_id, status: "draft" },
    });
    const sender = { reply_to: "Desk <d@example.org>", mailbox_id: workspace.mailboxId };
    expect(await changed(sender)).toMatchObject(sender);
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    expect(await changed({ scheduled_at })).toMatchObject({ status: "scheduled", scheduled_at });
    expect(await changed({ subject: "s" })).toMatchObject({ status: "scheduled" });
    expect(await changed({ scheduled_at: null })).toMatchObject({ status: "draft", scheduled_at: null });
    expect((await patch(made.id, { name: null })).status).toBe(422);
    expect((await patch(made.id, { scheduled_at: "2020-01-01T00:00:00Z" })).status).toBe(422);
  });

  it("deletes a draft with its variants, once", async () => {
    const { id } = await broadcasts.create();
    await broadcasts.addVariant(id, "A");
    const responses = await Promise.all([1, 2].map(() => broadcasts.api.call("DELETE", broadcasts.path(id))));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect((await broadcasts.api.get(`${broadcasts.path(id)}/variants`)).status).toBe(404);
  });
});

describe("variants", () => {
  it("are created, changed and deleted in a draft; a label is unique", async () => {
    const { id } = await broadcasts.create();
    const path = `${broadcasts.path(id)}/variants`;
    const a = await broadcasts.addVariant(id, "A");
    expect(a).toMatchObject({ broadcast_id: id, label: "A", weight: 1, html_body: null, recipient_count: 0 });
    const b = await broadcasts.addVariant(id, "B", { weight: 3 });
    expect((await broadcasts.api.post(path, { label: "A", subject: "s" })).status).toBe(409);
    expect((await broadcasts.api.call("PATCH", `${path}/${b.id}`, { label: "A" })).status).toBe(409);
    const changed = await broadcasts.api.call("PATCH", `${path}/${b.id}`, { html_body: "<p>", weight: 2 });
    expect(await changed.json()).toEqual({ ...b, html_body: "<p>", weight: 2 });
    for (const bad of [{ label: "" }, { weight: 0 }, { weight: 1.5 }, { subject: null }])
      expect((await broadcasts.api.call("PATCH", `${path}/${b.id}`, bad)).status, JSON.stringify(bad)).toBe(422);
    expect((await broadcasts.api.call("DELETE", `${path}/${a.id}`)).status).toBe(204);
    expect((await broadcasts.api.call("DELETE", `${path}/${a.id}`)).status).toBe(404);
    expect((await broadcasts.variants(id)).map(({ label }) => label)).toEqual(["B"]);
  });

  it("have a limit of ten, and cannot change once the broadcast is sent", async () => {
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 1) });
    const path = `${broadcasts.path(id)}/variants`;
    const made = [];
    for (let i = 0; i < 10; i++) made.push(await broadcasts.addVariant(id, `V${i}`));
    expect((await broadcasts.api.post(path, { label: "more", subject: "s" })).status).toBe(409);
    await broadcasts.act(id, "send");
    expect((await broadcasts.api.post(path, { label: "late", subject: "s" })).status).toBe(409);
    expect((await broadcasts.api.call("PATCH", `${path}/${made[0]?.id}`, { weight: 2 })).status).toBe(409);
    expect((await broadcasts.api.call("DELETE", `${path}/${made[0]?.id}`)).status).toBe(409);
  });
});
