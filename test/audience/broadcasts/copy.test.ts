import { expect, it } from "vitest";
import type { BroadcastOut } from "../../../src/audience/broadcasts/schema.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { segmentsOf } from "../segments/support.ts";
import { aContactList, broadcastsOf, emailsOf, runBroadcasts } from "./support.ts";

/** POST /v1/broadcasts/{broadcast_id}/copy. */

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));

const copy = async (id: string) => broadcasts.expectJson<BroadcastOut>(await broadcasts.act(id, "copy"), 201);
const aSegment = () => segmentsOf(workspace).create({ field: "name", is: "exists" });

/** The fields of a broadcast that its author wrote, but its name. */
const written = ({ id: _, name: _name, created_at: _at, updated_at: _updated, ...fields }: BroadcastOut) => fields;

it("a copy is a draft with content, audience, settings and variants, and is sent by itself", async () => {
  const lists = [await aContactList(workspace, 20, { prefix: "delivered" }), await aContactList(workspace, 1)];
  const topic = await workspace.create("/v1/topics/", { name: "News", default: "subscribed" });
  const { id } = await broadcasts.create({
    ...{ contact_list_id: lists[0], more_contact_list_ids: [lists[1]], mailbox_id: workspace.mailboxId },
    ...{ topic_id: topic.id, preheader: "P", text_body: "T", reply_to: "a@b.example", max_per_hour: 1_000_000 },
    ...{ ab_test_pct: 50, ab_auto_promote: { metric: "clicks", after_hours: 4, min_lift: 0.01 } },
  });
  await broadcasts.addVariant(id, "A", { weight: 2, html_body: "<p>A</p>", language: "liquid" });
  await broadcasts.addVariant(id, "B");
  const before = await broadcasts.read(id);
  await broadcasts.act(id, "send");
  await runBroadcasts();
  const made = await copy(id);
  expect(made).toEqual(await broadcasts.read(made.id));
  expect(made.name).toBe("Newsletter (copy)");
  expect(written(made)).toEqual(written(before));
  const texts = async (of: string) =>
    (await broadcasts.variants(of)).map(({ label, subject, weight, html_body, language, delivered_count }) => {
      return { label, subject, weight, html_body, language, delivered_count };
    });
  expect(await texts(made.id)).toEqual((await texts(id)).map((variant) => ({ ...variant, delivered_count: 0 })));
  expect((await broadcasts.act(made.id, "send")).status).toBe(200);
  await runBroadcasts();
  expect(await emailsOf(made.id)).toHaveLength((await emailsOf(id)).length);
});

it("a copy of a scheduled broadcast has no time, and keeps the field of the local time", async () => {
  const schedule = { scheduled_at: "2099-01-01T09:00:00Z", local_time_field: "timezone" };
  const { id } = await broadcasts.create(schedule);
  expect(await copy(id)).toMatchObject({ status: "draft", scheduled_at: null, local_time_field: "timezone" });
});

it("the data of an editor is stored beside the content, changed alone, and copied", async () => {
  const blocks_json = { version: 1, blocks: [], __proto__x: [1] };
  const { id } = await broadcasts.create({ html_body: "<p>Hi</p>", blocks_json });
  expect(await broadcasts.read(id)).toMatchObject({ html_body: "<p>Hi</p>", blocks_json });
  expect(await copy(id)).toMatchObject({ html_body: "<p>Hi</p>", blocks_json });
  const change = (body: object) => workspace.call("PATCH", `/v1/broadcasts/${id}`, body);
  expect(await (await change({ html_body: "<p>Ho</p>" })).json()).toMatchObject({
    html_body: "<p>Ho</p>",
    blocks_json,
  });
  for (const wrong of [[], "x", { a: 2 ** 53 }]) expect((await change({ blocks_json: wrong })).status).toBe(422);
  expect((await change({ blocks_json: { a: "b".repeat(1_000_000) } })).status).toBe(413);
  expect(await (await change({ blocks_json: null })).json()).toMatchObject({
    html_body: "<p>Ho</p>",
    blocks_json: null,
  });
});

it("what is gone since is null in a copy, which reaches no more people than the original", async () => {
  const [first, second] = [await aContactList(workspace, 1), await aContactList(workspace, 2)];
  const topic = await workspace.create("/v1/topics/", { name: "News", default: "subscribed" });
  const lists = { contact_list_id: first, more_contact_list_ids: [second], topic_id: topic.id };
  const { id } = await broadcasts.create(lists);
  await workspace.call("DELETE", `/v1/contacts/${first}`);
  expect((await workspace.call("DELETE", `/v1/topics/${topic.id}`)).status).toBe(204);
  const made = await copy(id);
  expect(made).toMatchObject({ contact_list_id: null, more_contact_list_ids: [second], topic_id: null });
  expect((await broadcasts.act(made.id, "send")).status).toBe(422);
  const segment = await aSegment();
  const { id: narrow } = await broadcasts.create({ contact_list_id: second, segment_id: segment.id });
  expect(await copy(narrow)).toMatchObject({ contact_list_id: second, segment_id: segment.id });
  expect((await workspace.call("DELETE", `/v1/segments/${segment.id}`)).status).toBe(204);
  expect(await copy(narrow)).toMatchObject({ contact_list_id: null, segment_id: null, more_contact_list_ids: [] });
});

it("a name of the greatest length stays within it, and a call repeated with its key copies once", async () => {
  const { id } = await broadcasts.create({ name: "N".repeat(200) });
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const call = async () =>
    broadcasts.expectJson<BroadcastOut>(
      await workspace.withoutQueue.call("POST", `${broadcasts.path(id)}/copy`, undefined, headers),
      201,
    );
  const made = await call();
  expect(made.name).toBe(`${"N".repeat(193)} (copy)`);
  expect((await call()).id).toBe(made.id);
  expect((await broadcasts.act(crypto.randomUUID(), "copy")).status).toBe(404);
});
