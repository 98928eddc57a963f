import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { receiveEmail } from "../../../src/mailboxes/inbound/index.ts";
import type { WakeUp } from "../../../src/platform/context.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { onMain } from "../../../src/platform/jobs/shards.ts";
import { deleteWaitingEvents } from "../../../src/platform/person-events/main-events.ts";
import { runOutboxRows } from "../../../src/run-outbox.ts";
import { countingDb, planOf } from "../../support/counting-db.ts";
import { withFailingCall } from "../../support/databases.ts";
import { eventsOf, recordEvents, stopEvents } from "../../support/person-events.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import {
  aMail,
  apiOn,
  aWorkspace,
  createApiWithoutQueue,
  discardingQueue,
  perTest,
  testContext,
} from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const api = perTest(() => workspace.withoutQueue);
let news: string;
let offers: string;
const ADA = "ada@example.org";
const form = { "Content-Type": "application/x-www-form-urlencoded" };

beforeEach(async () => {
  await env.DB.prepare("DELETE FROM outbox").run();
  news = (await aTopic(workspace, { name: "News" })).id;
  offers = (await aTopic(workspace, { name: "Offers", default: "unsubscribed" })).id;
  await recordEvents(workspace);
});

/** Runs the due outbox rows of events, and returns the new events: name and topic. */
async function newEvents(): Promise<string[]> {
  const known = (await eventsOf(workspace)).length;
  await runOutboxAt(Date.now(), { WORK: discardingQueue }, ["events"]);
  expect(await env.DB.prepare("SELECT count(*) AS n FROM outbox WHERE kind = 'events'").first("n")).toBe(0);
  const names = new Map<unknown, string>([
    [news, "news"],
    [offers, "offers"],
    [null, "all"],
  ]);
  return (await eventsOf(workspace)).slice(known).map(({ name, email, data }) => {
    expect(email).toBe(ADA);
    return `${name.slice("topic.".length)} ${names.get(data.topic_id)}`;
  });
}

/** Sends an email and returns the path of its link and the mailto address. */
async function sent(fields: object) {
  const server = await sinkServer();
  await api.post("/v1/emails/", aMail(workspace, { to: [{ email: ADA }], ...fields }));
  await runOutboxAt(Date.now(), { EGRESS_URL: server.url, WORK: discardingQueue });
  const [message] = await server.messages();
  await server.close();
  const text = new TextDecoder().decode(message?.raw).replace(/\r\n[ \t]/g, " ");
  const [, link = "http://none/"] = /List-Unsubscribe: <([^>]*)>/.exec(text) ?? [];
  const [, mailto = ""] = /<mailto:([^?>]*)/.exec(text) ?? [];
  await clearEmailEvents();
  return { path: new URL(link).pathname, mailto };
}

const clearEmailEvents = () =>
  Promise.all([env.MAIL_0, env.MAIL_1].map((db) => db.prepare("DELETE FROM events WHERE name LIKE 'email.%'").run()));

const submit = (path: string, fields: [string, string][]) =>
  createApiWithoutQueue(null).call("POST", path, new URLSearchParams(fields).toString(), form);

describe("an event records that a topic changed", () => {
  it("by the API, only when the topic differs for the person then", async () => {
    const put = (topics: object[]) => personOf(api, ADA).put(topics);
    await put([
      { id: news, choice: "subscribed" },
      { id: offers, choice: "unsubscribed" },
    ]);
    expect(await newEvents()).toEqual([]);
    await put([
      { id: news, choice: "unsubscribed" },
      { id: offers, choice: "subscribed" },
    ]);
    expect(await newEvents()).toEqual(["unsubscribed news", "subscribed offers"]);
    await put([{ id: news, choice: "unsubscribed" }]);
    await put([
      { id: news, choice: null },
      { id: offers, choice: null },
    ]);
    expect(await newEvents()).toEqual(["subscribed news", "unsubscribed offers"]);
  });

  it("by the suppression list, for a topic and for all", async () => {
    const add = (body: object) => api.post("/v1/suppressions/", { email: ADA, reason: "unsubscribe", ...body });
    for (const _ of [1, 2]) await add({ topic_id: news });
    expect(await newEvents()).toEqual(["unsubscribed news"]);
    expect((await api.call("DELETE", `/v1/suppressions/${ADA}?topic_id=${news}`)).status).toBe(204);
    expect(await newEvents()).toEqual(["subscribed news"]);
    for (const _ of [1, 2]) await add({});
    expect(await newEvents()).toEqual(["unsubscribed all"]);
    expect((await api.call("DELETE", `/v1/suppressions/${ADA}`)).status).toBe(204);
    expect(await newEvents()).toEqual(["subscribed all"]);
    await add({ reason: "manual" });
    expect((await api.call("DELETE", `/v1/suppressions/${ADA}`)).status).toBe(204);
    expect(await newEvents()).toEqual([]);
  });

  it("by one click, by mailto, and on the page behind the link", async () => {
    const { path, mailto } = await sent({ topic_id: news });
    for (const _ of [1, 2]) expect((await submit(path, [["List-Unsubscribe", "One-Click"]])).status).toBe(200);
    expect(await newEvents()).toEqual(["unsubscribed news"]);
    const shown: [string, string][] = [news, offers].map((id) => ["shown", id]);
    await submit(path, [["action", "save"], ...shown, ["topic", news], ["topic", offers]]);
    expect(await newEvents()).toEqual(["subscribed news", "subscribed offers"]);
    await receive(mailto);
    expect(await newEvents()).toEqual(["unsubscribed news"]);
    await submit(path, [["action", "all"]]);
    expect(await newEvents()).toEqual(["unsubscribed all"]);
    await submit(path, [["action", "save"], ...shown, ["topic", news], ["topic", offers]]);
    expect(await newEvents()).toEqual(["subscribed news", "subscribed all"]);
    await submit(path, [["action", "topic"]]);
    expect(await newEvents()).toEqual(["unsubscribed news"]);
  });
});

/** Sends a message to the mailto address of an email. */
async function receive(to: string): Promise<void> {
  const raw = new Blob(["From: ada@example.org\r\nSubject: unsubscribe\r\n\r\n"]).stream();
  const message = { from: ADA, to, headers: new Headers(), raw, rawSize: 52, setReject: () => {} };
  await receiveEmail(
    message as unknown as ForwardableEmailMessage,
    { ...env, WORK: discardingQueue } as unknown as Env,
  );
}

it("a workspace without an automation keeps the same events", async () => {
  await stopEvents(workspace);
  for (const choice of ["unsubscribed", null]) await personOf(api, ADA).put([{ id: news, choice }]);
  expect(await newEvents()).toEqual(["unsubscribed news", "subscribed news"]);
});

it("a choice and its event are both there or both not, whichever D1 call fails, and a kill of their copy loses none", async () => {
  for (const moment of ["before", "after"] as const) {
    for (let failing = 0; ; failing++) {
      const { bindings, hit } = withFailingCall({ failing, moment });
      const faulty = apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey);
      await personOf(faulty, ADA).put([{ id: news, choice: "unsubscribed" }]);
      const isLeft = (await personOf(api, ADA).state(news)).startsWith("unsubscribed");
      expect(await storeWithKills(), `call ${failing} failed ${moment}`).toBe(isLeft ? 1 : 0);
      await personOf(api, ADA).put([{ id: news, choice: null }]);
      await storeWithKills();
      if (hit() === null) break;
    }
  }
});

it("the events of an erased person that wait to be stored are deleted, and those of others stay", async () => {
  const others = ["ada@example.orgx", "a'da@example.org", "b@example.org"];
  for (const email of [ADA, ...others]) await personOf(api, email).put([{ id: news, choice: "unsubscribed" }]);
  const { bindings, trips } = countingDb();
  await deleteWaitingEvents(testContext(bindings), workspace.workspaceNumber, ADA);
  const { results } = await env.DB.prepare("SELECT ref->>'email' AS email FROM outbox WHERE kind = 'events'").all<{
    email: string;
  }>();
  expect(results.map(({ email }) => email).sort()).toEqual([...others].sort());
  const [statement] = trips[0]?.statements ?? [];
  expect((statement && (await planOf(statement)))?.join()).toContain("USING INDEX outbox_of_events (ref>? AND ref<?)");
});

/** Stores the events of the outbox, while one D1 call after the other fails. Returns how many are new. */
async function storeWithKills(): Promise<number> {
  const known = (await eventsOf(workspace)).length;
  for (let failing = 0; failing < 8; failing++) {
    const { results } = await env.DB.prepare(
      "SELECT due_at AS dueAt, id, kind FROM outbox WHERE kind = 'events'",
    ).all<WakeUp>();
    const { bindings } = withFailingCall({ failing, moment: failing % 2 === 0 ? "after" : "before" });
    const ctx = onMain(createContext({ ...env, ...bindings, WORK: discardingQueue } as unknown as Env, "test"));
    await runOutboxRows(ctx, results).catch(() => {});
  }
  expect(await env.DB.prepare("SELECT count(*) AS n FROM outbox WHERE kind = 'events'").first("n")).toBe(0);
  return (await eventsOf(workspace)).length - known;
}
