import { expect, it } from "vitest";
import { nestingIssue } from "../../../src/audience/segments/rules.ts";
import { database } from "../../support/databases.ts";
import { aTopic } from "../../support/topics.ts";
import { aWorkspace, type TestWorkspace } from "../../support/workspace.ts";
import { automationsOf } from "../automations/support.ts";
import { aList } from "../contacts/support.ts";
import { aListWith, people, runCounts, segmentsOf } from "./support.ts";

const gold = { field: "plan", is: "equals", value: "gold" };

const keepsActivity = async ({ workspaceNumber }: TestWorkspace) =>
  (await database.value("SELECT activity_since FROM shard_workspaces WHERE number = ?1", [workspaceNumber])) !== null;

it("a segment is created, listed, changed and deleted", async () => {
  const workspace = await aWorkspace();
  const { api, create } = segmentsOf(workspace);
  const created = await create(gold, "  Gold  ");
  expect(created).toMatchObject({ name: "Gold", conditions: gold, count: null, counted_at: null });
  expect(created.activity_since).not.toBeNull();
  const second = await create({ not: gold }, "Others");
  const page = await api.get("/v1/segments/?limit=1");
  expect(await page.json()).toEqual([created]);
  const [, next = ""] = /<[^>]*(\/v1\/[^>]*)>/.exec(page.headers.get("Link") ?? "") ?? [];
  expect(await (await api.get(next)).json()).toEqual([second]);
  const path = `/v1/segments/${created.id}`;
  expect(await (await api.get(path)).json()).toEqual(created);
  const patched = await api.call("PATCH", path, { name: "Silver", conditions: { ...gold, value: "silver" } });
  expect(await patched.json()).toMatchObject({ id: created.id, name: "Silver", conditions: { value: "silver" } });
  expect((await api.call("PATCH", path, {})).status).toBe(200);
  expect((await api.call("DELETE", path)).status).toBe(204);
  for (const method of ["GET", "DELETE"]) expect((await api.call(method, path)).status).toBe(404);
  expect((await api.call("PATCH", path, { name: "x" })).status).toBe(404);
});

it("activity is kept from the first segment on until the last one is deleted", async () => {
  const workspace = await aWorkspace();
  const { api, create } = segmentsOf(workspace);
  expect(await keepsActivity(workspace)).toBe(false);
  const [first, second] = [await create(gold), await create(gold)];
  expect(second.activity_since).toBe(first.activity_since);
  await api.call("DELETE", `/v1/segments/${first.id}`);
  expect(await keepsActivity(workspace)).toBe(true);
  await api.call("DELETE", `/v1/segments/${second.id}`);
  expect(await keepsActivity(workspace)).toBe(false);
});

it("activity is kept from an automation on whose conditions ask about it, until it is archived and no segment is left", async () => {
  const workspace = await aWorkspace();
  const { api, create } = segmentsOf(workspace);
  const automations = automationsOf(workspace);
  const asks = (activity: boolean) => {
    const when = activity ? { activity: "opened" } : gold;
    return { steps: [{ kind: "branch", when, then_steps: [{ kind: "end" }], else_steps: [] }] };
  };
  await automations.start(asks(false));
  expect(await keepsActivity(workspace)).toBe(false);
  const { id } = await automations.create(asks(true));
  expect(await keepsActivity(workspace)).toBe(false);
  await automations.act(id, "activate");
  expect(await keepsActivity(workspace)).toBe(true);
  const segment = await create(gold);
  expect((await api.call("DELETE", `/v1/segments/${segment.id}`)).status).toBe(204);
  expect(await keepsActivity(workspace)).toBe(true);
  for (const automation of await (await api.get(automations.path())).json<{ id: string }[]>()) {
    expect(await keepsActivity(workspace)).toBe(true);
    await automations.act(automation.id, "archive");
  }
  expect(await keepsActivity(workspace)).toBe(false);
});

it("what conditions name must exist in the workspace, and the error names what does not", async () => {
  const [workspace, other] = [await aWorkspace(), await aWorkspace()];
  const { api, create } = segmentsOf(workspace);
  const [list, topic] = [await aList(workspace), await aTopic(workspace)];
  const [foreignList, foreignTopic] = [await aList(other), await aTopic(other)];
  const foreign = await segmentsOf(other).create(gold);
  const unknown = crypto.randomUUID();
  await create({ all: [{ list: list.id }, { topic: topic.id, subscribed: true }] });
  const refused = async (conditions: unknown) => {
    const response = await api.post("/v1/segments/", { name: "A segment", conditions });
    expect(response.status).toBe(422);
    const { detail } = await response.json<{ detail: { loc: string[]; msg: string }[] }>();
    return detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`);
  };
  const conditions = {
    any: [
      { list: list.id },
      { list: foreignList.id },
      { not: { topic: foreignTopic.id, subscribed: false } },
      { segment: foreign.id },
      { activity: "opened", broadcast_id: unknown },
    ],
  };
  expect(await refused(conditions)).toEqual([
    "body.conditions.any.1.list: The contact list does not exist",
    "body.conditions.any.2.not.topic: The topic does not exist",
    "body.conditions.any.3.segment: The segment does not exist",
    "body.conditions.any.4.broadcast_id: The broadcast does not exist",
  ]);
  expect(await refused({ event: "total", is: "exists" })).toEqual([
    "body.conditions: event needs an event, which a segment does not have",
  ]);
  expect(await refused({ any: [{ field: "x", is: "less", value: "y" }] })).toEqual([
    "body.conditions.any.0.value: value must be a number to be less",
  ]);
  expect(await refused(undefined)).toEqual(["body.conditions: conditions is required"]);
  expect(await refused("x")).toEqual(["body.conditions: a condition must be an object"]);
});

it("segments contain others over three levels and never themselves, and one that is contained is not deleted", async () => {
  const workspace = await aWorkspace();
  const { api, create } = segmentsOf(workspace);
  const first = await create(gold, "First");
  const second = await create({ segment: first.id }, "Second");
  const third = await create({ not: { segment: second.id } }, "Third");
  const issue = async (response: Response) => (await response.json<{ detail: { msg: string }[] }>()).detail[0]?.msg;
  const fourth = await api.post("/v1/segments/", { name: "Fourth", conditions: { segment: third.id } });
  expect([fourth.status, await issue(fourth)]).toEqual([
    422,
    "segments contain each other over 4 levels; the limit is 3",
  ]);
  const loop = await api.call("PATCH", `/v1/segments/${first.id}`, { conditions: { segment: third.id } });
  expect([loop.status, await issue(loop)]).toEqual([
    422,
    "a segment must not contain itself, also not through another",
  ]);
  const deletion = await api.call("DELETE", `/v1/segments/${first.id}`);
  expect(deletion.status).toBe(409);
  expect(await deletion.json()).toEqual({ detail: "The segment is in the conditions of other segments: Second" });
  for (const { id } of [third, second, first])
    expect((await api.call("DELETE", `/v1/segments/${id}`)).status).toBe(204);
});

it("chains of segments are measured once, however often they meet", () => {
  const layers = Array.from({ length: 60 }, (_, n) => [`${n}`, [`${n + 1}`, `${n + 1}`, `${n + 1}`]] as const);
  expect(nestingIssue(new Map(layers), 61)).toBeNull();
  expect(nestingIssue(new Map(layers), 60)).toContain("over 61 levels");
});

it("a workspace has at most 200 segments, also when two are created at once", async () => {
  const workspace = await aWorkspace();
  const { api } = segmentsOf(workspace);
  await database.run(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 199)
       INSERT INTO segments (workspace, id, name, conditions, created_at, updated_at) SELECT ?1, 'x' || n, 'S', '{}', 0, 0 FROM numbers`,
    [workspace.workspaceNumber],
  );
  const responses = await Promise.all(
    [1, 2].map(() => api.post("/v1/segments/", { name: "A segment", conditions: gold })),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
});

it("a count shows a sample at once, advances by pages, and agrees with the pages of contacts", async () => {
  const workspace = await aWorkspace();
  const segments = segmentsOf(workspace);
  const all = people(12_300);
  await aListWith(
    workspace,
    all.map((email, n) => ({ email, metadata: { plan: n % 4 === 0 ? "gold" : "free", n } })),
  );
  // Every third person is in a second list too, and counts once.
  await aListWith(
    workspace,
    all.filter((_, n) => n % 3 === 0).map((email) => ({ email, metadata: { plan: "gold" } })),
  );
  const expected = all.filter((_, n) => n % 4 === 0 || n % 3 === 0);
  const { id } = await segments.create(gold);
  const started = await segments.count(id);
  expect(started).toMatchObject({ status: "counting", evaluated: 500, total: 16_400, counted_at: null });
  expect(started.sample.map(({ email }) => email)).toEqual(expected.slice(0, 10));
  expect(await segments.count(id)).toEqual(started);
  await runCounts();
  const done = await segments.count(id);
  expect(done).toMatchObject({ status: "done", count: expected.length, evaluated: 12_300, sample: started.sample });
  expect(await (await segments.api.get(`/v1/segments/${id}`)).json()).toMatchObject({
    count: expected.length,
    counted_at: done.counted_at,
  });
  const { found, pages } = await segments.addresses(id);
  expect(found).toEqual(expected);
  expect(pages).toBe(Math.ceil(expected.length / 500));
  // A segment of few people has short pages: each evaluates 5,000.
  const few = await segments.create({ field: "n", is: "equals", value: 12_299 });
  expect(await segments.addresses(few.id)).toEqual({ found: [all[12_299]], pages: 3 });
});

it("new conditions end a count, and its row of the outbox then does nothing", async () => {
  const workspace = await aWorkspace();
  const { api, create, count } = segmentsOf(workspace);
  await aListWith(
    workspace,
    people(1_001).map((email) => ({ email, metadata: { plan: "gold" } })),
  );
  const { id } = await create(gold);
  expect(await count(id)).toMatchObject({ status: "counting", count: 500 });
  const patched = await api.call("PATCH", `/v1/segments/${id}`, { conditions: { not: gold } });
  expect(await patched.json()).toMatchObject({ count: null });
  await runCounts();
  expect(await (await api.get(`/v1/segments/${id}`)).json()).toMatchObject({ count: null });
  await count(id);
  await runCounts();
  expect(await count(id)).toMatchObject({ status: "done", count: 0, evaluated: 1_001 });
});

it("people with much metadata or many contacts come in smaller pages", async () => {
  const workspace = await aWorkspace();
  const { create, addresses, count } = segmentsOf(workspace);
  const filler = "x".repeat(60_000);
  await aListWith(
    workspace,
    people(100).map((email) => ({ email, metadata: { plan: "gold", filler } })),
  );
  const { id } = await create(gold);
  expect(await count(id)).toMatchObject({ status: "counting", evaluated: 67 });
  expect((await addresses(id)).found).toEqual(people(100));
  await runCounts();
  expect(await count(id)).toMatchObject({ status: "done", count: 100 });
});

it("an empty workspace has a count of none at once", async () => {
  const workspace = await aWorkspace();
  const { create, count, addresses } = segmentsOf(workspace);
  const { id } = await create({ not: gold });
  expect(await count(id)).toMatchObject({ status: "done", count: 0, evaluated: 0, total: 0, sample: [] });
  expect(await addresses(id)).toEqual({ found: [], pages: 1 });
});
