import { describe, expect, it } from "vitest";
import { budgetOf } from "../../../src/platform/budgets/spent.ts";
import type { SuppressionOut } from "../../../src/sending/suppressions/index.ts";
import type { TopicOut } from "../../../src/sending/topics/index.ts";
import { readAudit } from "../../support/audit.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aKey, apiWith, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

const UNKNOWN = "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7aff";
const detail = async (response: Response) => JSON.stringify((await response.json<{ detail: unknown }>()).detail);

describe("topics", () => {
  it("are created, read, changed and deleted", async () => {
    const created = await aTopic(workspace, {
      name: " Ünïcode 🎉 ",
      description: "Once a month",
      default: "unsubscribed",
    });
    expect(created).toEqual({
      id: expect.any(String),
      name: "Ünïcode 🎉",
      description: "Once a month",
      default: "unsubscribed",
      is_public: true,
      created_at: expect.any(String),
    });
    const path = `/v1/topics/${created.id}`;
    expect(await (await workspace.get(path)).json()).toEqual(created);
    const changed = await workspace.call("PATCH", path, { name: "News", description: null, is_public: false });
    expect([changed.status, await changed.json()]).toEqual([
      200,
      { ...created, name: "News", description: null, is_public: false },
    ]);
    expect(await (await workspace.call("PATCH", path, {})).json()).toMatchObject({ name: "News" });
    expect((await workspace.call("DELETE", path)).status).toBe(204);
    expect((await workspace.call("DELETE", path)).status).toBe(404);
    expect((await workspace.get(path)).status).toBe(404);
  });

  it("are internal and subscribed by default", async () => {
    const response = await workspace.post("/v1/topics/", { name: "News" });
    expect(await response.json()).toMatchObject({ is_public: false, default: "subscribed", description: null });
  });

  it("keep their default, since a change would flip persons without a choice", async () => {
    const { id } = await aTopic(workspace);
    for (const value of ["unsubscribed", "subscribed", null]) {
      const response = await workspace.call("PATCH", `/v1/topics/${id}`, { default: value });
      expect(response.status).toBe(422);
      expect(await detail(response)).toContain('["body","default"]');
    }
  });

  it("refuse bad names, descriptions and defaults, each at its field", async () => {
    const bad = {
      name: ["", "  ", "a\r\nb", "a\0b", "x".repeat(201), null, 7],
      description: ["x".repeat(1_001), 7],
      default: ["maybe", null],
      is_public: ["yes", null],
    };
    for (const [field, values] of Object.entries(bad))
      for (const value of values) {
        const response = await workspace.post("/v1/topics/", { name: "A", [field]: value });
        expect(response.status, `${field} ${value}`).toBe(422);
        expect(await detail(response)).toContain(`["body","${field}"]`);
      }
    expect((await workspace.post("/v1/topics/", {})).status).toBe(422);
    expect((await workspace.post("/v1/topics/", `{"name":"${"x".repeat(2_000_000)}"}`)).status).toBe(422);
  });

  it("are listed in pages, oldest first, each once", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await aTopic(workspace, { name: `Topic ${n}` })).id);
    const listed: string[] = [];
    for (let path: string | undefined = "/v1/topics/?limit=2"; path !== undefined; ) {
      const response: Response = await workspace.get(path);
      listed.push(...(await response.clone().json<TopicOut[]>()).map(({ id }) => id));
      path = /<[^>]*(\/v1\/[^>]*)>/.exec(response.headers.get("Link") ?? "")?.[1];
    }
    expect(listed).toEqual(ids);
  });

  it("are at most 100 in a workspace", async () => {
    await run(
      `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?2)
       INSERT INTO topics (workspace, id, name, default_choice, is_public, created_at) SELECT ?1, 'id' || i, 'T', 'subscribed', 0, 0 FROM c`,
      workspace.workspaceNumber,
      budgetOf("topics").rows - 1,
    );
    const responses = await Promise.all([1, 2].map(() => workspace.post("/v1/topics/", { name: "A" })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it("are created once for an Idempotency-Key, also by concurrent calls", async () => {
    const create = () => workspace.post("/v1/topics/", { name: "A" }, { "Idempotency-Key": "one" });
    const responses = await Promise.all([create(), create()]);
    for (const { status } of responses) expect([201, 409]).toContain(status);
    expect((await create()).status).toBe(201);
    expect(await (await workspace.get("/v1/topics/")).json()).toHaveLength(1);
  });

  it("of another workspace are unknown", async () => {
    const other = await aWorkspace();
    const { id } = await aTopic(other);
    for (const [method, path, body] of [
      ["GET", `/v1/topics/${id}`],
      ["PATCH", `/v1/topics/${id}`, { name: "B" }],
      ["DELETE", `/v1/topics/${id}`],
      ["PUT", "/v1/people/a%40example.org/topics", { topics: [{ id, choice: "subscribed" }] }],
      ["POST", "/v1/suppressions/", { email: "a@example.org", reason: "unsubscribe", topic_id: id }],
    ] as const) {
      const [foreign, unknown] = await Promise.all(
        [id, UNKNOWN].map((each) =>
          workspace.call(method, path.replace(id, each), body && JSON.parse(JSON.stringify(body).replace(id, each))),
        ),
      );
      expect(foreign?.status, `${method} ${path}`).toBe(404);
      expect(await foreign?.text()).toBe(await unknown?.text());
    }
    expect((await other.get(`/v1/topics/${id}`)).status).toBe(200);
  });

  it("need the scopes of contacts", async () => {
    const { id } = await aTopic(workspace);
    const viewer = apiWith(await aKey(workspace, { scopes: ["contacts:view"] }));
    expect((await viewer.get(`/v1/topics/${id}`)).status).toBe(200);
    expect((await viewer.get("/v1/people/a%40example.org/topics")).status).toBe(200);
    expect((await viewer.post("/v1/topics/", { name: "A" })).status).toBe(403);
    expect((await viewer.call("PUT", "/v1/people/a%40example.org/topics", { topics: [] })).status).toBe(403);
    const sender = apiWith(await aKey(workspace, { scopes: ["emails:send"] }));
    expect((await sender.get("/v1/topics/")).status).toBe(403);
  });
});

describe("the topics of a person", () => {
  it("have the default until the person chooses, and again when the choice is removed", async () => {
    const [on, off] = [await aTopic(workspace), await aTopic(workspace, { default: "unsubscribed", is_public: false })];
    const ada = personOf(workspace, "Ada@Example.org");
    expect(await ada.read()).toEqual({
      email: "ada@example.org",
      unsubscribed_from_all: false,
      topics: [
        expect.objectContaining({ id: on.id, choice: null, state: "subscribed", chosen_at: null, method: null }),
        expect.objectContaining({ id: off.id, choice: null, state: "unsubscribed" }),
      ],
    });
    const chosen = await ada.choose(off.id, "subscribed");
    expect(chosen.topics[1]).toMatchObject({ choice: "subscribed", state: "subscribed", method: "api" });
    expect(await personOf(workspace, "ada@example.org").read()).toEqual(chosen);
    expect((await ada.choose(off.id, null)).topics[1]).toMatchObject({ choice: null, state: "unsubscribed" });
  });

  it("that a PUT does not name keep their choice, and the same choice keeps its time", async () => {
    const [a, b] = [await aTopic(workspace), await aTopic(workspace)];
    const ada = personOf(workspace, "ada@example.org");
    await ada.choose(a.id, "unsubscribed");
    const before = await ada.read();
    await ada.choose(b.id, "unsubscribed");
    await ada.choose(a.id, "unsubscribed");
    expect((await ada.read()).topics[0]).toEqual(before.topics[0]);
    const entries = (await readAudit(workspace)).filter(({ action }) => action === "person.topics_chosen");
    expect(entries.map(({ target }) => target)).toEqual([
      { kind: "person", id: "ada@example.org" },
      { kind: "person", id: "ada@example.org" },
    ]);
  });

  it("refuse what is no address (404), no choice, a topic twice, and an unknown topic, and change nothing then", async () => {
    const { id } = await aTopic(workspace);
    const ada = personOf(workspace, "ada@example.org");
    expect((await workspace.get("/v1/people/nobody/topics")).status).toBe(404);
    for (const topics of [
      null,
      [{ id }],
      [{ id, choice: "maybe" }],
      [{ id: "x", choice: null }],
      [
        { id, choice: "subscribed" },
        { id, choice: null },
      ],
    ])
      expect((await ada.put(topics)).status, JSON.stringify(topics)).toBe(422);
    const response = await ada.put([
      { id, choice: "unsubscribed" },
      { id: UNKNOWN, choice: "unsubscribed" },
    ]);
    expect(response.status).toBe(404);
    expect((await ada.read()).topics[0]).toMatchObject({ choice: null });
  });

  it("are on the suppression list while they are left, in order, also page by page, and can be removed there", async () => {
    const [a, b] = [await aTopic(workspace, { name: "A" }), await aTopic(workspace, { name: "B" })];
    for (const email of ["c@example.org", "a@example.org", "b@example.org"])
      for (const { id } of [b, a]) await personOf(workspace, email).choose(id, "unsubscribed");
    await personOf(workspace, "d@example.org").choose(a.id, "subscribed");
    await workspace.post("/v1/suppressions/", { email: "b@example.org" });
    const whole = await (await workspace.get("/v1/suppressions/")).json<SuppressionOut[]>();
    const name = ({ email, reason, topic_id }: SuppressionOut) =>
      `${email[0]} ${reason} ${topic_id === null ? "all" : topic_id === a.id ? "A" : "B"}`;
    expect(whole.map(name)).toEqual([
      "a unsubscribe A",
      "a unsubscribe B",
      "b manual all",
      "b unsubscribe A",
      "b unsubscribe B",
      "c unsubscribe A",
      "c unsubscribe B",
    ]);
    for (const limit of [1, 2, 3]) {
      const paged: SuppressionOut[] = [];
      for (let path: string | undefined = `/v1/suppressions/?limit=${limit}`; path !== undefined; ) {
        const response: Response = await workspace.get(path);
        paged.push(...(await response.clone().json<SuppressionOut[]>()));
        path = /<[^>]*(\/v1\/[^>]*)>/.exec(response.headers.get("Link") ?? "")?.[1];
      }
      expect(paged, `limit ${limit}`).toEqual(whole);
    }
    const found = await workspace.get("/v1/suppressions/?email=b%40example.org");
    expect((await found.json<SuppressionOut[]>()).map(name)).toEqual([
      "b manual all",
      "b unsubscribe A",
      "b unsubscribe B",
    ]);
    const remove = () => workspace.call("DELETE", `/v1/suppressions/b%40example.org?topic_id=${a.id}`);
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
    expect(await personOf(workspace, "b@example.org").state(a.id)).toBe("subscribed null");
    expect(await personOf(workspace, "b@example.org").state(b.id)).toBe("unsubscribed api");
  });

  it("are left by POST /v1/suppressions/ with the topic, which needs the reason unsubscribe", async () => {
    const { id } = await aTopic(workspace);
    const add = (fields: object) =>
      workspace.post("/v1/suppressions/", { email: "Ada@example.org", topic_id: id, ...fields });
    const [first, again] = [await add({ reason: "unsubscribe" }), await add({ reason: "unsubscribe" })];
    expect([first.status, again.status]).toEqual([201, 200]);
    const entry = await first.json();
    expect(entry).toMatchObject({ email: "ada@example.org", reason: "unsubscribe", topic_id: id });
    expect(await again.json()).toEqual(entry);
    expect((await add({})).status).toBe(422);
    expect((await add({ reason: "unsubscribe", topic_id: "x" })).status).toBe(422);
    const contact = await workspace.get("/v1/people/ada%40example.org/topics");
    expect(await contact.json()).toMatchObject({ unsubscribed_from_all: false, topics: [{ state: "unsubscribed" }] });
  });

  it("end with the topic, whose choices are deleted in the background", async () => {
    const [a, b] = [await aTopic(workspace), await aTopic(workspace)];
    for (const { id } of [a, b]) await personOf(workspace, "ada@example.org").choose(id, "unsubscribed");
    await workspace.call("DELETE", `/v1/topics/${a.id}`);
    expect((await personOf(workspace, "ada@example.org").read()).topics.map(({ id }) => id)).toEqual([b.id]);
    expect(await (await workspace.get("/v1/suppressions/")).json()).toHaveLength(1);
    await runOutboxAt(Date.now() + 600_000);
    const count = await database.value<number>("SELECT count(*) AS n FROM topic_choices WHERE workspace = ?1", [
      workspace.workspaceNumber,
    ]);
    expect(count).toBe(1);
  });
});
