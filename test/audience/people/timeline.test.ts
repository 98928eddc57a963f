import { expect, it } from "vitest";
import { readTimeline } from "../../../src/audience/people/index.ts";
import { timeOfId } from "../../../src/lib/ids.ts";
import { aDeliveredMail, aHit, consume } from "../../sending/tracking/support.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aMail, aWorkspace, discardingQueue, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { aList, anEvent, automationsOf, runEngine } from "../automations/support.ts";
import { broadcastsOf, runBroadcasts, suppress } from "../broadcasts/support.ts";

const ada = "ada@example.org";

/** Returns the context of a caller with these scopes. */
function callerOf(workspace: TestWorkspace, scopes: string[]) {
  const ctx = testContext();
  const { workspaceNumber: number, workspaceId: id } = workspace;
  const of = { number, id, mailShard: ctx.shard };
  return { ...ctx, workspace: of, actor: { scopes: new Set(scopes), domainIds: null } } as unknown as Parameters<
    typeof readTimeline
  >[0];
}

const ALL = ["contacts:view", "emails:view", "automations:view", "broadcasts:view"];

/** Returns the entries of a person as kind and text, newest first. */
async function toldOf(workspace: TestWorkspace, email = ada, scopes = ALL): Promise<string[]> {
  const { entries } = await readTimeline(callerOf(workspace, scopes), email);
  return entries.map(({ kind, text, event }) => `${kind}: ${text}${event ? ` ${event.event_type}` : ""}`);
}
const stopsOf = async (workspace: TestWorkspace, email = ada) =>
  (await readTimeline(callerOf(workspace, ALL), email)).stops;

it("the timeline of a person joins emails, events, topics and runs, newest first, and nothing of others", async () => {
  const workspace = await aWorkspace();
  await aList(workspace, [{ email: ada }, { email: "eve@example.org" }]);
  await automationsOf(workspace).start({ name: "Welcome", steps: [{ kind: "wait", for: { days: 1 } }] });
  const api = workspace.withoutQueue;
  await api.post("/v1/emails/", aMail(workspace, { to: [{ email: ada }], subject: "Receipt" }));
  await api.post("/v1/emails/", aMail(workspace, { to: [{ email: "eve@example.org" }], subject: "Other" }));
  const topic = (await aTopic(workspace, { name: "News" })).id;
  await personOf(workspace, ada).choose(topic, "unsubscribed");
  await anEvent(workspace, ada, { name: "signed_up", data: { plan: "gold" } });
  await anEvent(workspace, "eve@example.org", { name: "other" });
  await runEngine();
  const { entries, next } = await readTimeline(callerOf(workspace, ALL), ada);
  const texts = entries.map(({ kind, text }) => `${kind}: ${text}`);
  expect(texts.toSorted()).toEqual(
    expect.arrayContaining([
      "email: “Receipt”: queued",
      "event: signed_up (plan: gold)",
      "run: Entered Welcome: inside",
      "topic: News: unsubscribed, by api",
    ]),
  );
  expect(texts.join()).not.toContain("ther");
  expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted((a, b) => b - a));
  expect(next).toBeNull();
  const { entries: shown } = await readTimeline(callerOf(workspace, ["contacts:view"]), ada);
  expect(new Set(shown.map(({ kind }) => kind))).toEqual(new Set(["contact", "event", "topic"]));
});

it("opens and clicks of persons and failures are told with their email, once, however the page is cut", async () => {
  const workspace = await aWorkspace();
  const id = await aDeliveredMail(workspace, ada);
  const at = timeOfId(id) + 3_600_000;
  await consume([aHit(workspace, id, { ua: "curl/8" }), aHit(workspace, id, { at })], { WORK: discardingQueue });
  await consume([aHit(workspace, id, { kind: "click", at: at + 60_000, url: "https://shop.example/" })], {
    WORK: discardingQueue,
  });
  const told = await toldOf(workspace);
  expect(told.map((text) => text.split(" ").at(-1))).toEqual(["click", "open", "delivered"]);
  // Later events push the email to the second page, and its opens and clicks with it.
  for (let n = 0; n < 60; n++) await anEvent(workspace, ada, { name: `e${n}`, at: at - 120_000 + n });
  const first = await readTimeline(callerOf(workspace, ALL), ada);
  expect(first.entries.filter(({ kind }) => kind === "email")).toEqual([]);
  const second = await readTimeline(callerOf(workspace, ALL), ada, first.next ?? undefined);
  expect(second.entries.filter(({ kind }) => kind === "email")).toHaveLength(3);
});

it("tells how a person came to a list, what they agreed to, and which topics they left and joined again", async () => {
  const workspace = await aWorkspace();
  const api = workspace.withoutQueue;
  const { id: list } = await (await api.post("/v1/contacts/", { name: "Readers" })).json<{ id: string }>();
  const consent = { source: "At the fair" };
  const added = await api.post(`/v1/contacts/${list}/contacts`, { email: ada, consent });
  const { id: gone } = await (await api.post("/v1/contacts/", { name: "Others" })).json<{ id: string }>();
  const other = await (await api.post(`/v1/contacts/${gone}/contacts`, { email: ada })).json<{ id: string }>();
  expect((await api.call("DELETE", `/v1/contacts/${gone}/contacts/${other.id}`)).status).toBe(204);
  const topic = (await aTopic(workspace, { name: "News" })).id;
  await personOf(workspace, ada).choose(topic, "unsubscribed");
  await runOutboxAt(Date.now(), { WORK: discardingQueue }, ["events"]);
  await database.run("UPDATE events SET occurred_at = occurred_at - 60000 WHERE workspace = ?1", [
    workspace.workspaceNumber,
  ]);
  await personOf(workspace, ada).choose(topic, "subscribed");
  await runOutboxAt(Date.now(), { WORK: discardingQueue }, ["events"]);
  expect(added.status).toBe(201);
  expect((await toldOf(workspace)).toSorted()).toEqual([
    "consent: Consent was stated for Readers: At the fair",
    "contact: Added to Readers",
    "event: Added to Others",
    "event: Removed from Others",
    "event: Unsubscribed from News",
    "topic: News: subscribed, by api",
  ]);
  expect(await stopsOf(workspace)).toEqual([]);
});

it("tells which broadcasts skipped a person and why, which mail of automations was left out, and what stops mail now", async () => {
  const workspace = await aWorkspace();
  const list = await aList(workspace, [{ email: ada }]);
  const topic = (await aTopic(workspace, { name: "News" })).id;
  const { create, act } = broadcastsOf(workspace);
  const send = async (name: string) => {
    const { id } = await create({ name, contact_list_id: list, topic_id: topic });
    expect((await act(id, "send")).status).toBe(200);
    await runBroadcasts();
    return id;
  };
  await personOf(workspace, ada).choose(topic, "unsubscribed");
  await send("May");
  await database.run("UPDATE contacts SET pending_since = 1 WHERE workspace = ?1", [workspace.workspaceNumber]);
  await personOf(workspace, ada).choose(topic, "subscribed");
  await send("June");
  await database.run("UPDATE contacts SET pending_since = NULL WHERE workspace = ?1", [workspace.workspaceNumber]);
  await suppress(workspace, [ada], "complaint");
  const july = await send("July");
  const step = { kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Hello", text: "Hello" };
  await automationsOf(workspace).start({ name: "Welcome", steps: [step] });
  await anEvent(workspace, ada);
  await runEngine();
  const told = await toldOf(workspace);
  for (const text of [
    "broadcast: Skipped by May: the person is not subscribed to the topic",
    "broadcast: Skipped by June: the contact has not confirmed",
    "broadcast: Skipped by July: its owner has complained",
    "run: Welcome: Sent no email: its owner has complained.",
    "suppression: Gets no mail, because its owner has complained",
  ])
    expect(told).toContain(text);
  expect(await stopsOf(workspace)).toEqual(["no mail, because its owner has complained"]);
  const { entries } = await readTimeline(callerOf(workspace, ALL), ada);
  expect(entries.find(({ text }) => text.includes("July"))?.path).toBe(`/broadcasts/${july}`);
  expect((await toldOf(workspace, ada, ["contacts:view"])).join()).not.toMatch(/Skipped|Welcome/);
});

it("says at its top what stops mail: an unsubscribe, soft bounces, a missing confirmation and topics", async () => {
  const workspace = await aWorkspace();
  const list = await aList(workspace, [{ email: ada }]);
  await aTopic(workspace, { name: "Offers", default: "unsubscribed" });
  await suppress(workspace, [ada], "unsubscribe");
  await database.run("UPDATE contacts SET pending_since = 1 WHERE workspace = ?1", [workspace.workspaceNumber]);
  await database.run(
    `INSERT INTO soft_bounces (workspace, email, email_ids, is_refusal, first_at, last_at, listed_at) VALUES (?1, ?2, '["a","b"]', 0, 1, 2, 2)`,
    [workspace.workspaceNumber, ada],
  );
  const [, , pending, ...others] = await stopsOf(workspace);
  expect(pending).toMatch(/^no mail of .*, because the contact has not confirmed$/);
  expect(others).toEqual(["no mail of Offers, because the person is not subscribed to the topic"]);
  expect((await toldOf(workspace)).filter((text) => text.startsWith("suppression"))).toContain(
    "suppression: Soft bounces in a row: 2",
  );
  const { contacts } = await (await workspace.get(`/v1/contacts/${list}`)).json<{ contacts: { id: string }[] }>();
  const session = await aSession(workspace);
  const page = await (await session.get(`/app/contacts/${list}/contacts/${contacts[0]?.id}/timeline`)).text();
  expect(page).toContain("This person gets no bulk mail, because the address has unsubscribed; no bulk mail");
});

it("its pages have every entry once", async () => {
  const workspace = await aWorkspace();
  const start = Date.now() - 1_000_000;
  for (let n = 0; n < 120; n++) await anEvent(workspace, ada, { name: `e${n}`, at: start + Math.floor(n / 3) * 1_000 });
  const names: string[] = [];
  let before: number | undefined;
  do {
    const { entries, next } = await readTimeline(callerOf(workspace, ALL), ada, before);
    names.push(...entries.map(({ text }) => text));
    before = next ?? undefined;
  } while (before !== undefined);
  expect(names).toHaveLength(120);
  expect(new Set(names).size).toBe(120);
});

it("the page of a contact leads to it", async () => {
  const workspace = await aWorkspace();
  const list = await aList(workspace, [{ email: ada }]);
  await anEvent(workspace, ada, { name: "signed_up" });
  const { contacts } = await (await workspace.get(`/v1/contacts/${list}`)).json<{ contacts: { id: string }[] }>();
  const session = await aSession(workspace);
  const path = `/app/contacts/${list}/contacts/${contacts[0]?.id}`;
  expect(await (await session.get(path)).text()).toContain(`${path}/timeline`);
  expect(await (await session.get(`${path}/timeline`)).text()).toContain("signed_up");
});
