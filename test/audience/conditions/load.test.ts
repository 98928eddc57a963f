import { expect, it } from "vitest";
import { type Condition, loadPeople, loadSegments, referencesOf } from "../../../src/audience/conditions/index.ts";
import { run } from "../../support/sending.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { aContact, aList } from "../contacts/support.ts";

const activity = (workspace: TestWorkspace, email: string, at: number, broadcasts = {}) =>
  run(
    "INSERT INTO person_activity (workspace, email_key, opened_at, broadcasts) VALUES (?1, ?2, ?3, ?4)",
    ...[workspace.workspaceNumber, email, at, JSON.stringify(broadcasts)],
  );

it("people have what the conditions name, and an address without a contact is no person", async () => {
  const [workspace, other] = [await aWorkspace(), await aWorkspace()];
  const [first, second] = [await aList(workspace), await aList(workspace)];
  const contact = await aContact(workspace, first.id, "Ada@example.org", {
    name: "Ada",
    metadata: { plan: "gold", secret: "x", vip: true, own: { a: [1] } },
  });
  await aContact(workspace, second.id, "ada@example.org", { metadata: { plan: "free" } });
  await aContact(other, (await aList(other)).id, "eve@example.org");
  const [news, offers] = [await aTopic(workspace), await aTopic(workspace, { default: "unsubscribed" })];
  await personOf(workspace, "ada@example.org").choose(news.id, "unsubscribed");
  await personOf(workspace, "ada@example.org").choose(offers.id, "subscribed");
  await activity(workspace, "ada@example.org", 1_000);
  await activity(other, "ada@example.org", 9_000);
  const condition: Condition = {
    all: [
      { field: "plan", is: "exists" },
      { field: "vip", is: "exists" },
      { field: "own", is: "exists" },
      { topic: news.id, subscribed: true },
      { topic: offers.id, subscribed: true },
      { activity: "opened" },
    ],
  };
  const keys = ["ada@example.org", "eve@example.org", "unknown@example.org"];
  const people = await loadPeople(testContext(), workspace.workspaceNumber, keys, referencesOf(condition));
  expect([...people.keys()]).toEqual(["ada@example.org"]);
  expect(people.get("ada@example.org")).toMatchObject({
    contacts: [
      { list: first.id, id: contact.id, email: "Ada@example.org", name: "Ada", isPending: false },
      { list: second.id, metadata: { plan: "free" } },
    ],
    activity: { opened: 1_000 },
    topics: new Set([offers.id]),
  });
  expect(people.get("ada@example.org")?.contacts[0]?.metadata).toEqual({ plan: "gold", vip: true, own: { a: [1] } });
  expect((await loadPeople(testContext(), workspace.workspaceNumber, [], referencesOf(condition))).size).toBe(0);
  expect((await loadPeople(testContext(), -1, keys, referencesOf(condition))).size).toBe(0);
});

it("segments come with those inside them, three levels deep, of their own workspace only", async () => {
  const [workspace, other] = [await aWorkspace(), await aWorkspace()];
  const ids = Array.from({ length: 4 }, () => crypto.randomUUID());
  for (const [index, id] of ids.entries()) {
    const inner = ids[index + 1];
    await run(
      "INSERT INTO segments (workspace, id, name, conditions, created_at, updated_at) VALUES (?1, ?2, 'S', ?3, 0, 0)",
      ...[workspace.workspaceNumber, id, JSON.stringify(inner ? { segment: inner } : { added_within_days: 1 })],
    );
  }
  const loaded = await loadSegments(testContext(), workspace.workspaceNumber, [ids[0] ?? "", "gone"]);
  expect([...loaded.keys()]).toEqual(ids.slice(0, 3));
  expect(loaded.get(ids[0] ?? "")).toEqual({ segment: ids[1] });
  expect((await loadSegments(testContext(), other.workspaceNumber, ids)).size).toBe(0);
});
