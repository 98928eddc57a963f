import { expect, it } from "vitest";
import { eventsOf } from "../../support/person-events.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aList, anEvent, automationsOf, runEngine, silent } from "./support.ts";

/** Steps that change topics: whom they subscribe, and when they are events. */

const EMAIL = "delivered+a@simulator.test";
const workspace = perTest(aWorkspace);

/** Runs a step once for the person. Returns its text in the history, the state of the topic, and the events about topics. */
async function run(topic_id: string, step: { subscribed: boolean; even_if_left?: boolean }) {
  const own = automationsOf(workspace, silent);
  const { id } = await own.start({ steps: [{ kind: "change_topic", topic_id, ...step }] });
  const before = (await topicEvents()).length;
  const at = Date.now() + 1_000;
  await anEvent(workspace, EMAIL, { at });
  await runEngine(at, silent);
  await runEngine(at + 60_000, silent);
  const text = (await own.texts(id)).at(1);
  await own.act(id, "archive");
  const { choice } = (await personOf(workspace, EMAIL).read()).topics.find((each) => each.id === topic_id) ?? {};
  return { text, choice, events: (await topicEvents()).slice(before) };
}

const topicEvents = async () =>
  (await eventsOf(workspace)).map(({ name }) => name).filter((name) => name.startsWith("topic."));

it("a step subscribes or unsubscribes a person with one event, and with none when nothing changes", async () => {
  await aList(workspace, [{ email: EMAIL }]);
  const { id } = await aTopic(workspace, { default: "unsubscribed" });
  const subscribed = { choice: "subscribed", text: "Subscribed to Product news." };
  expect(await run(id, { subscribed: true })).toEqual({ ...subscribed, events: ["topic.subscribed"] });
  const again = { choice: "subscribed", text: "Was subscribed already: Product news.", events: [] };
  expect(await run(id, { subscribed: true })).toEqual(again);
  const left = { choice: "unsubscribed", text: "Unsubscribed from Product news.", events: ["topic.unsubscribed"] };
  expect(await run(id, { subscribed: false })).toEqual(left);
  expect((await run(id, { subscribed: true })).events).toEqual(["topic.subscribed"]);
});

it("a step that chooses what is the default already adds no event", async () => {
  await aList(workspace, [{ email: EMAIL }]);
  const { id } = await aTopic(workspace, { default: "subscribed" });
  expect((await run(id, { subscribed: true })).events).toEqual([]);
});

it("a step subscribes nobody who has left the topic, unless it has even_if_left", async () => {
  await aList(workspace, [{ email: EMAIL }]);
  const { id } = await aTopic(workspace, { default: "subscribed" });
  await personOf(workspace, EMAIL).choose(id, "unsubscribed");
  const stays = { choice: "unsubscribed", text: "Has chosen otherwise about Product news, which stays.", events: [] };
  expect(await run(id, { subscribed: true })).toEqual(stays);
  const back = await run(id, { subscribed: true, even_if_left: true });
  expect(back).toMatchObject({ choice: "subscribed", events: ["topic.subscribed"] });
});
