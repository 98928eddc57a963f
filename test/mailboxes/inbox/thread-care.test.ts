import { expect, it } from "vitest";
import { consumeQueues } from "../../support/queues.ts";
import { aMember, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { aRawMessage, deliver } from "../inbound/support.ts";

/** Conversations that people answer together (docs/contract/inbox.md#conversations). */

consumeQueues("work");

const workspace = perTest(aWorkspace);

interface Care {
  assignee: { id: string; name: string } | null;
  closed_at: string | null;
  entries: { id: string; kind: string; author: { id: string } | null; text: string }[];
}
interface Item {
  uid: number;
  thread_id: string;
  message_id: string;
}

const path = (suffix: string) => `/v1/inbox/${workspace.mailboxId}${suffix}`;
const assignMailbox = (...user_ids: string[]) =>
  workspace.call("PUT", `/v1/mailboxes/${workspace.mailboxId}/assignees`, { user_ids });

/** Receives a message, and returns it with functions that change its conversation as a member of the mailbox. */
async function aConversation(fields: Record<string, string> = {}) {
  const member = await aMember(workspace, "member");
  await assignMailbox(member.userId, workspace.userId);
  await deliver(workspace.mailbox, aRawMessage({ "Message-ID": "<first@example.org>", ...fields }));
  const { items } = await (await workspace.get(path("/messages"))).json<{ items: Item[] }>();
  const thread = items[0]?.thread_id ?? "";
  const api = apiWith(member.apiKey);
  return {
    ...{ member, api, thread, first: items[0] as Item },
    change: (body: object) => api.call("PATCH", path(`/threads/${thread}`), body),
    note: (text: string) => api.post(path(`/threads/${thread}/notes`), { text }),
    care: async () => (await workspace.get(path(`/threads/${thread}/state`))).json<Care>(),
  };
}

const listed = async (query = "") =>
  (await (await workspace.get(path(`/threads${query}`))).json<{ items: { thread_id: string }[] }>()).items.map(
    ({ thread_id }) => thread_id,
  );

it("is assigned, closed and opened again by people, each with who did it, and the same again adds nothing", async () => {
  const { change, care, member, thread } = await aConversation();
  expect(await care()).toEqual({ assignee: null, closed_at: null, entries: [] });
  for (const body of [{ assignee_id: workspace.userId }, { closed: true }, { closed: false }, { assignee_id: null }])
    for (let twice = 0; twice < 2; twice++) expect((await change(body)).status).toBe(200);
  const { entries } = await care();
  expect(entries.map(({ kind, author }) => [kind, author?.id])).toEqual(
    ["assign", "close", "reopen", "assign"].map((kind) => [kind, member.userId]),
  );
  const own = await aConversation({ "Message-ID": "<other@example.org>" });
  await workspace.call("PATCH", path(`/threads/${thread}`), { assignee_id: workspace.userId });
  expect(await listed("?list=mine")).toEqual([thread]);
  expect(await listed("?list=unassigned")).toEqual([own.thread]);
  await own.change({ closed: true });
  expect(await listed("?list=closed")).toEqual([own.thread]);
  expect(await listed("?list=unassigned")).toEqual([]);
  expect(await listed()).toHaveLength(2);
});

it("is opened again by a new mail, and by none that the mailbox sends", async () => {
  const { change, care, first } = await aConversation();
  await change({ closed: true });
  const answer = { to: ["ada@example.org"], text: "Soon", in_reply_to: first.message_id };
  expect((await workspace.post(path("/send"), answer)).status).toBe(202);
  const sent = async () =>
    (await (await workspace.get(path("/messages?folder=Sent"))).json<{ items: Item[] }>()).items.length;
  await expect.poll(sent, { timeout: 20_000 }).toBe(1);
  expect((await care()).closed_at).not.toBeNull();
  await deliver(
    workspace.mailbox,
    aRawMessage({ "Message-ID": "<again@example.org>", "In-Reply-To": "<first@example.org>" }),
  );
  const { closed_at, entries } = await care();
  expect(closed_at).toBeNull();
  expect(entries.map(({ kind, author }) => [kind, author?.id ?? null])).toEqual([
    ["close", expect.any(String)],
    ["answer", workspace.userId],
    ["reopen", null],
  ]);
});

it("has notes of its people, which no mail has: neither an answer, a forward, a search nor an export", async () => {
  const { note, care, first, thread, member } = await aConversation();
  const secret = "She pays late: xyzzy";
  const added = await (await note(secret)).json<{ id: string; text: string }>();
  expect(added).toMatchObject({ kind: "note", text: secret, author: { id: member.userId } });
  await workspace.post(path("/send"), { to: ["ada@example.org"], text: "Soon", in_reply_to: first.message_id });
  const sent = async () =>
    (await (await workspace.get(path("/messages?folder=Sent"))).json<{ items: Item[] }>()).items[0]?.uid;
  await expect.poll(sent, { timeout: 20_000 }).toBeGreaterThan(0);
  for (const other of [
    `/messages/${first.uid}`,
    `/messages/${first.uid}/raw`,
    `/messages/${await sent()}/raw?folder=Sent`,
    `/threads/${thread}`,
    "/search?q=xyzzy",
    "/messages",
    "/export?format=mbox",
    "/threads",
  ]) {
    const response = await workspace.get(path(other));
    expect([other, response.status, (await response.text()).includes("xyzzy")]).toEqual([other, 200, false]);
  }
  expect((await (await workspace.get("/v1/emails/?limit=100")).text()).includes("xyzzy")).toBe(false);
  expect((await workspace.call("DELETE", path(`/threads/${thread}/notes/${added.id}`))).status).toBe(204);
  expect((await care()).entries.filter(({ kind }) => kind === "note")).toEqual([]);
});

it("is assigned to people of the mailbox only, and to nobody when they are taken off", async () => {
  const { change, care, member } = await aConversation();
  const stranger = await aMember(workspace, "member");
  for (const assignee_id of [stranger.userId, crypto.randomUUID(), "x"])
    expect((await change({ assignee_id })).status, assignee_id).toBe(422);
  await change({ assignee_id: member.userId });
  expect((await care()).assignee?.id).toBe(member.userId);
  await assignMailbox(workspace.userId);
  expect((await care()).assignee).toBeNull();
  expect(await listed("?list=unassigned")).toHaveLength(1);
});

it("of another mailbox, unknown, or deleted is not found, and what was kept of a deleted one is gone", async () => {
  const { change, note, thread, first, api } = await aConversation();
  await note("A note");
  const other = await aWorkspace();
  expect((await other.call("PATCH", path(`/threads/${thread}`), { closed: true })).status).toBe(404);
  expect((await api.post(path(`/threads/${crypto.randomUUID()}/notes`), { text: "a" })).status).toBe(404);
  await workspace.call("DELETE", path(`/messages/${first.uid}`));
  const trash = await (await workspace.get(path("/messages?folder=Trash"))).json<{ items: Item[] }>();
  await workspace.call("DELETE", path(`/messages/${trash.items[0]?.uid}?folder=Trash`));
  expect((await change({ closed: true })).status).toBe(404);
  expect((await (await workspace.get(path(`/threads/${thread}/state`))).json<Care>()).entries).toEqual([]);
});

it("has at most 200 entries: an older line makes room, a note does not", async () => {
  const { change, note, care } = await aConversation();
  await change({ closed: true });
  for (let n = 0; n < 200; n++) await note(`${n}`);
  const { entries } = await care();
  expect(entries).toHaveLength(200);
  expect(entries.every(({ kind }) => kind === "note")).toBe(true);
  expect((await note("One more")).status).toBe(409);
  for (const text of ["", "x".repeat(5_001), "a\u0000"]) expect((await note(text)).status).toBe(422);
});
