import { expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages of topics, and where other pages choose one: their forms do what the API does. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const textOf = async (path: string) => (await session.get(path)).text();
const locationOf = async (path: string, fields: Record<string, string> | [string, string][] = {}) => {
  const response = await submit(session, path, fields);
  return response.headers.get("Location") ?? `${response.status} ${await response.text()}`;
};
const topics = async () => (await session.get("/v1/topics/")).json<{ id: string; name: string }[]>();

it("a topic is created once, changed and deleted", async () => {
  expect(await textOf("/app/topics")).toContain("No topic yet.");
  const form = { idempotency_key: crypto.randomUUID(), name: "News", description: "Monthly", default: "unsubscribed" };
  for (let time = 0; time < 2; time++)
    expect(await locationOf("/app/topics", { ...form, is_public: "on" })).toBe("/app/topics?done=created");
  const [topic, ...others] = await topics();
  expect([topic, others]).toEqual([
    expect.objectContaining({ name: "News", description: "Monthly", default: "unsubscribed", is_public: true }),
    [],
  ]);
  expect(await textOf("/app/topics?done=created")).toContain("Not subscribed until they join");
  const path = `/app/topics/${topic?.id}`;
  expect(await textOf(path)).toContain('value="News"');
  const wrong = await submit(session, path, { name: "", description: "Kept" });
  expect([wrong.status, (await wrong.text()).includes("Kept")]).toEqual([422, true]);
  expect(await locationOf(path, { name: "Product news", description: "" })).toBe("/app/topics?done=changed");
  expect((await topics())[0]).toMatchObject({ name: "Product news", description: null, is_public: false });
  expect(await textOf(`${path}/delete`)).toContain("Delete Product news?");
  expect(await locationOf(`${path}/delete`)).toBe("/app/topics?done=deleted");
  expect(await topics()).toEqual([]);
});

it("a broadcast and a bulk send have the topic that their form chose", async () => {
  expect(await textOf("/app/broadcasts/new")).not.toContain('name="topic_id"');
  const { id: topic_id } = await aTopic(workspace);
  expect(await textOf("/app/broadcasts/new")).toContain('name="topic_id"');
  const list = await workspace.create("/v1/contacts/", { name: "Readers" });
  const contact = { email: "ada@example.org" };
  await workspace.post(`/v1/contacts/${list.id}/contacts`, contact);
  const fields = { name: "B", from_address: workspace.mailbox, contact_list_id: list.id, topic_id };
  const next = await locationOf("/app/broadcasts/new", { ...fields, idempotency_key: crypto.randomUUID() });
  const id = /broadcasts\/([^/]+)/.exec(next)?.[1];
  expect(await (await session.get(`/v1/broadcasts/${id}`)).json()).toMatchObject({ topic_id });
  expect(await textOf(`/app/broadcasts/${id}/audience`)).toContain(`<option value="${topic_id}" selected`);

  await personOf(workspace, contact.email).choose(topic_id, "unsubscribed");
  const mail = { mailbox_id: workspace.mailboxId, subject: "News", text: "News", topic_id };
  const sent = await submit(session, `/app/contacts/${list.id}/send`, {
    ...mail,
    idempotency_key: crypto.randomUUID(),
  });
  expect(await sent.text()).toContain("0 queued, 1 skipped");
});

it("the page of a contact shows and sets the person's choices", async () => {
  const list = await workspace.create("/v1/contacts/", { name: "Readers" });
  const path = `/app/contacts/${list.id}/contacts/${(await workspace.create(`/v1/contacts/${list.id}/contacts`, { email: "ada@example.org" })).id}`;
  expect(await textOf(path)).not.toContain("Topics of this person");
  const { id } = await aTopic(workspace);
  expect(await textOf(path)).toContain("Topics of this person");
  const ada = personOf(workspace, "ada@example.org");
  await locationOf(`${path}/topics`, { [`topic.${id}`]: "unsubscribed" });
  expect(await ada.state(id)).toBe("unsubscribed api");
  expect(await textOf("/app/suppressions")).toContain("Unsubscribed from Product news");
  const remove = { email: "ada@example.org", reason: "unsubscribe", topic_id: id };
  const removed = await locationOf("/app/suppressions/remove", remove);
  expect(await textOf(removed)).toContain("Undo");
  expect(await ada.state(id)).toBe("subscribed null");
  await locationOf("/app/suppressions", { ...remove, idempotency_key: crypto.randomUUID() });
  expect(await ada.state(id)).toBe("unsubscribed api");
  await locationOf(`${path}/topics`, { [`topic.${id}`]: "" });
  expect(await ada.state(id)).toBe("subscribed null");
});
