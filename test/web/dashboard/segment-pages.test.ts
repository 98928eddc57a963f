import { describe, expect, it } from "vitest";
import { type Condition, Conditions } from "../../../src/audience/conditions/index.ts";
import { describeCondition, parseDraft, readConditions, toDraft } from "../../../src/web/dashboard/conditions/index.ts";
import { aListWith } from "../../audience/segments/support.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perSuite } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages of segments, whose form of conditions works without scripts. */

type Form = Record<string, string>;

const workspace = perSuite(aWorkspace);
const session = perSuite(() => aSession(workspace));

const textOf = async (path: string) => (await session.get(path)).text();
const aKey = () => ({ idempotency_key: crypto.randomUUID() });
const read = async (id: string) =>
  (await workspace.get(`/v1/segments/${id}`)).json<{ name: string; conditions: Condition; count: number | null }>();
const segments = async () => (await workspace.get("/v1/segments/?limit=500")).json<{ id: string; name: string }[]>();

const gold: Form = {
  ...{ "conditions.kind": "all", "conditions.0.kind": "field", "conditions.0.field": "plan" },
  ...{ "conditions.0.is": "equals", "conditions.0.value": "gold" },
};

/** Returns the fields of the form of a page, as a browser submits them. */
function fieldsOf(html: string): Form {
  const decode = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
  const form: Form = {};
  const main = html.slice(html.indexOf('<form class="form"'));
  for (const [, attributes = ""] of main.matchAll(/<input ([^>]*)>/g)) {
    const name = / ?name="([^"]*)"/.exec(attributes)?.[1];
    if (name) form[name] = decode(/ ?value="([^"]*)"/.exec(attributes)?.[1] ?? "");
  }
  for (const [, name = "", options = ""] of main.matchAll(/<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs)) {
    const first = /<option value="([^"]*)"/.exec(options)?.[1] ?? "";
    form[name] = decode(/<option value="([^"]*)" selected/.exec(options)?.[1] ?? first);
  }
  return form;
}

async function create(name: string, form: Form = gold): Promise<string> {
  const response = await submit(session, "/app/segments/new", { name, ...form, ...aKey() });
  const location = response.headers.get("Location") ?? "";
  expect(location, await response.text()).toMatch(/^\/app\/segments\/[0-9a-f-]{36}\?done=created$/);
  return location.split("/")[3]?.split("?")[0] ?? "";
}

describe("the pages of segments", () => {
  it("make a segment row by row with buttons alone, count it, and show its conditions as sentences", async () => {
    const list = await aListWith(workspace, [
      { email: "ada@example.org", name: "Ada", metadata: { plan: "gold" } },
      { email: "grace@example.org", metadata: { plan: "silver" } },
    ]);
    expect(await textOf("/app/segments")).toContain("No segment yet.");
    let html = await textOf("/app/segments/new");
    const press = async (action: string, changes: Form = {}) => {
      const response = await submit(session, "/app/segments/new", { ...fieldsOf(html), ...changes, action });
      expect(response.status).toBe(200);
      html = await response.text();
    };
    await press("add conditions", { name: "Gold here", "conditions.add": "list" });
    await press("add conditions", { "conditions.0.list": list, "conditions.add": "field" });
    await press("group conditions", { "conditions.1.field": "plan", "conditions.1.value": "gold" });
    await press("add conditions.2", { "conditions.2.kind": "none", "conditions.2.0.field": "left" });
    await press("remove conditions.2.1", { "conditions.2.0.is": "exists" });
    const response = await submit(session, "/app/segments/new", fieldsOf(html));
    const [, id = ""] = /segments\/([0-9a-f-]{36})/.exec(response.headers.get("Location") ?? "") ?? [];
    const { conditions, count } = await read(id);
    const [inList, isGold, never] = [
      { list },
      { field: "plan", is: "equals", value: "gold" },
      { not: { field: "left", is: "exists" } },
    ];
    expect(conditions).toEqual({ all: [inList, isGold, never] });
    expect(count).toBe(1);
    const page = await textOf(`/app/segments/${id}`);
    for (const text of ["All of these", "is in the list A list", "plan is “gold”", "None of these", "ada@example.org"])
      expect(page).toContain(text);
    expect(page).not.toContain("grace@example.org");
    expect(await textOf(`/app/segments/${id}/people`)).toContain("ada@example.org");
    expect(await textOf("/app/segments")).toContain("Gold here");
    expect((await submit(session, `/app/segments/${id}/count`)).headers.get("Location")).toBe(`/app/segments/${id}`);
  });

  it("show a form with mistakes again, each error at its field, with what was entered, and store nothing", async () => {
    const before = (await segments()).length;
    for (const [changes, place, message] of [
      [{ "conditions.0.field": "" }, "conditions.0.field", ""],
      [{ "conditions.0.value": "" }, "conditions.0.value", "value must not be empty"],
      [{ "conditions.0.is": "greater", "conditions.0.value": "ten" }, "conditions.0.value", "must be a number"],
      [{ "conditions.1.kind": "list", "conditions.1.list": "" }, "conditions.1.list", "Choose one of the list"],
      [
        { "conditions.1.kind": "list", "conditions.1.list": crypto.randomUUID() },
        "conditions.1.list",
        "The contact list does not exist",
      ],
      [{ "conditions.1.kind": "none" }, "conditions.1.kind", "Add a condition"],
      [
        { "conditions.1.kind": "any", "conditions.1.0.kind": "segment", "conditions.1.0.segment": crypto.randomUUID() },
        "conditions.1.0.segment",
        "The segment does not exist",
      ],
      [{ name: "" }, "name", ""],
      [{ name: "a\r\nb" }, "name", ""],
      [{ "conditions.0.value": "a\u0000b" }, "conditions.0.value", "control characters"],
    ] as [Form, string, string][]) {
      const form = { name: "Kept <b>", ...gold, ...changes, ...aKey() };
      const response = await submit(session, "/app/segments/new", form);
      const html = await response.text();
      expect(response.status, JSON.stringify(changes)).toBe(422);
      expect(html, JSON.stringify(changes)).toContain(`href="#${place}"`);
      expect(html).toContain(`id="${place}"`);
      expect(html).toContain(message);
      if (!changes.name && changes.name !== "") expect(html).toContain("Kept &lt;b&gt;");
    }
    const empty = await submit(session, "/app/segments/new", { name: "Empty", ...aKey() });
    expect([empty.status, await empty.text()]).toEqual([422, expect.stringContaining("Add a condition")]);
    const huge = await submit(session, "/app/segments/new", { ...gold, name: "x".repeat(300_000) });
    expect(huge.status).toBe(413);
    expect((await segments()).length).toBe(before);
  });

  it("take conditions as JSON, and leave them as they are when the text is none", async () => {
    const form = { name: "JSON", ...gold };
    const json = JSON.stringify({
      any: [
        { activity: "opened", within_days: 30 },
        { field: "a", is: "exists" },
      ],
    });
    const press = async (text: string) =>
      (
        await submit(session, "/app/segments/new", { ...form, action: "json conditions", "conditions.json": text })
      ).text();
    expect(fieldsOf(await press(json))).toMatchObject({
      ...{ "conditions.kind": "any", "conditions.0.activity": "opened", "conditions.0.within_days": "30" },
      "conditions.1.is": "exists",
    });
    for (const text of ["{", "[]", '{"any":[]}', '{"unknown":1}'])
      expect(fieldsOf(await press(text))).toMatchObject(gold);
  });

  it("store what is saved twice at once as one segment, and change only what the form began from", async () => {
    const form = { name: "Once", ...gold, ...aKey() };
    const both = await Promise.all([1, 2].map(() => submit(session, "/app/segments/new", form)));
    expect(new Set(both.map(({ headers }) => headers.get("Location"))).size).toBe(1);
    expect((await segments()).filter(({ name }) => name === "Once")).toHaveLength(1);
    const id = await create("Changed");
    const path = `/app/segments/${id}/edit`;
    const fields = fieldsOf(await textOf(path));
    expect(fields).toMatchObject({ name: "Changed", ...gold });
    await workspace.call("PATCH", `/v1/segments/${id}`, { name: "By another" });
    const refused = await submit(session, path, { ...fields, name: "Mine" });
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("By another")]);
    const saved = await submit(session, path, { ...fieldsOf(await textOf(path)), "conditions.0.value": "12" });
    expect(saved.headers.get("Location")).toBe(`/app/segments/${id}?done=changed`);
    expect((await read(id)).conditions).toEqual({ field: "plan", is: "equals", value: 12 });
  });

  it("delete after a question, and name what uses the segment", async () => {
    const inner = await create("Inner");
    const outer = await create("Outer", {
      ...{ "conditions.kind": "all", "conditions.0.kind": "segment", "conditions.0.segment": inner },
    });
    expect(await textOf(`/app/segments/${inner}/delete`)).toContain("Delete Inner?");
    const refused = await submit(session, `/app/segments/${inner}/delete`);
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("Outer")]);
    const location = async (id: string) =>
      (await submit(session, `/app/segments/${id}/delete`)).headers.get("Location");
    expect(await location(outer)).toBe("/app/segments?done=deleted");
    expect(await location(inner)).toBe("/app/segments?done=deleted");
    expect((await session.get(`/app/segments/${inner}`)).status).toBe(404);
  });

  it("are not found by other workspaces and by unknown ids", async () => {
    const id = await create("Own");
    const other = await aSession(await aWorkspace());
    for (const path of ["", "/edit", "/delete", "/people"]) {
      expect((await other.get(`/app/segments/${id}${path}`)).status).toBe(404);
      expect((await session.get(`/app/segments/${crypto.randomUUID()}${path}`)).status).toBe(404);
    }
    for (const action of ["edit", "delete", "count"])
      expect((await submit(other, `/app/segments/${id}/${action}`, { name: "Taken", ...gold })).status).toBe(404);
    expect((await read(id)).name).toBe("Own");
  });
});

describe("a form of conditions", () => {
  const id = "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0a";
  const field = (name: string): Condition => ({ field: name, is: "exists" });
  const all: [string, Condition][] = [
    ["has a value", field("a")],
    ["not: a has a value", { not: field("a") }],
    ["a has a value or b has a value", { any: [field("a"), field("b")] }],
    ["not: (a has a value or b has a value)", { not: { any: [field("a"), field("b")] } }],
    ["not: (a has a value and b has a value)", { not: { all: [field("a"), field("b")] } }],
    ["total of the event is greater than “12.5”", { event: "total", is: "greater", value: 12.5 }],
    ["until is before “2026-01-01”", { field: "until", is: "before", value: "2026-01-01" }],
    ["is not subscribed to News", { topic: id, subscribed: false }],
    ["was added within 1 day", { added_within_days: 1 }],
    ["clicked in an email of the broadcast News", { activity: "clicked", broadcast_id: id }],
    ["received an email at any time", { activity: "received" }],
    ["is in the segment News and is in the list News", { all: [{ segment: id }, { list: id }] }],
  ];

  it.each(all)("keeps conditions that mean: %s", (text, condition) => {
    expect(Conditions.safeParse(condition).success).toBe(true);
    expect(parseDraft(toDraft(condition), "c")).toEqual(condition);
    expect(describeCondition(condition, new Map([[id, "News"]]))).toContain(text);
  });

  it("reads no more of a form than its limits, whatever the names of its fields are", () => {
    const form = new URLSearchParams({
      "c.kind": "all",
      "c.1.kind": "field",
      "c.x.kind": "field",
      "c.0.kind": "unknown",
    });
    expect(readConditions(form, "c")).toEqual({ draft: { kind: "all", parts: [] }, isChanged: false });
    const deep = new URLSearchParams();
    for (let level = 0; level < 50; level++) deep.set(`c${".0".repeat(level)}.kind`, "all");
    expect(JSON.stringify(readConditions(deep, "c").draft).length).toBeLessThan(500);
    for (const action of ["add c.9.9", "remove c.7", "remove c", "group c.__proto__", "add c.-1", "x c"])
      expect(readConditions(new URLSearchParams({ "c.kind": "all", action }), "c")).toMatchObject({ isChanged: true });
    expect(readConditions(new URLSearchParams({ "c.kind": "all", action: "add other" }), "c").isChanged).toBe(false);
  });
});
