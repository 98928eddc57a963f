import { describe, expect, it } from "vitest";
import type { PreviewOut, TemplateOut } from "../../../src/sending/templates/schema.ts";
import { countingDb, planOf } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { apiOn, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

const create = (body: unknown, headers?: Record<string, string>) => workspace.post("/v1/templates/", body, headers);
async function aTemplate(body: Record<string, unknown> = {}): Promise<TemplateOut> {
  const response = await create({ name: "Receipt", ...body });
  expect(response.status, await response.clone().text()).toBe(201);
  return response.json<TemplateOut>();
}
const read = (id: string) => workspace.get(`/v1/templates/${id}`);
const patch = (id: string, body: unknown) => workspace.call("PATCH", `/v1/templates/${id}`, body);
const preview = async (id: string, variables?: unknown) =>
  (await workspace.post(`/v1/templates/${id}/preview`, { variables })).json<PreviewOut>();
const listNames = async (query = "") =>
  (await (await workspace.get(`/v1/templates/${query}`)).json<TemplateOut[]>()).map(({ name }) => name);

describe("POST /v1/templates/", () => {
  it("returns 201 with the record, which GET returns too", async () => {
    const template = await aTemplate({
      name: "  Receipt ",
      subject: "Hello {{subject_only}}",
      html_body: "<p>{{ name }}</p>{{order}}{{}}",
      text_body: "{{total}} {{name}}",
      blocks_json: { blocks: [{ "{{x}}": null }], __proto__x: 1 },
    });
    expect(template).toEqual({
      id: expect.any(String),
      name: "Receipt",
      language: "placeholders",
      subject: "Hello {{subject_only}}",
      html_body: "<p>{{ name }}</p>{{order}}{{}}",
      text_body: "{{total}} {{name}}",
      blocks_json: { blocks: [{ "{{x}}": null }], __proto__x: 1 },
      variables: ["name", "order", "total"],
      created_at: expect.stringMatching(/Z$/),
      updated_at: template.created_at,
    });
    expect(await (await read(template.id)).json()).toEqual(template);
  });

  it("stores null for fields left out, and every member of blocks_json, __proto__ too", async () => {
    expect(await aTemplate()).toMatchObject({ subject: null, html_body: null, text_body: null, blocks_json: null });
    const body = '{"name":"a","blocks_json":{"__proto__":{"a":[1]},"b":"\\u0001"}}';
    const { id } = await (await create(body)).json<TemplateOut>();
    expect(await (await read(id)).text()).toContain('"blocks_json":{"__proto__":{"a":[1]},"b":"\\u0001"}');
  });

  for (const [what, body] of [
    ["no name", {}],
    ["an empty name", { name: " " }],
    ["a name with a line break", { name: "a\r\nb" }],
    ["a name of 201 characters", { name: "n".repeat(201) }],
    ["a subject with CR and LF", { name: "a", subject: "a\r\nBcc: b" }],
    ["a subject of 999 bytes", { name: "a", subject: "s".repeat(999) }],
    ["a body that is a number", { name: "a", html_body: 1 }],
    ["blocks that are a list", { name: "a", blocks_json: [] }],
    ["blocks of more than 1 MiB", { name: "a", blocks_json: { a: "b".repeat(1024 * 1024) } }],
    ["blocks with a number that loses digits", { name: "a", blocks_json: { a: [2 ** 53] } }],
    ["blocks nested 33 deep", { name: "a", blocks_json: JSON.parse(`${'{"a":'.repeat(32)}1${"}".repeat(32)}`) }],
    ["NUL", { name: "a", text_body: "\0" }],
  ] as const) {
    it(`returns 422 to ${what}`, async () => {
      expect((await create(body)).status).toBe(422);
    });
  }

  it("stores up to 1,900,000 bytes, also under an Idempotency-Key, and returns 413 beyond them", async () => {
    // Each of these characters takes two bytes as JSON.
    const fits = await create({ name: "a", html_body: '"'.repeat(949_000) }, { "Idempotency-Key": "large" });
    expect(fits.status, await fits.clone().text()).toBe(201);
    const { id } = await fits.json<TemplateOut>();
    expect((await (await read(id)).json<TemplateOut>()).html_body).toHaveLength(949_000);
    expect((await create({ name: "a", html_body: '"'.repeat(950_000) })).status).toBe(413);
    expect((await patch(id, { text_body: "t".repeat(3_000) })).status).toBe(413);
    const most = { name: "b", text_body: "t".repeat(850_000), blocks_json: { a: "b".repeat(1_048_000) } };
    expect((await create(most)).status).toBe(201);
    expect((await create({ name: "a", html_body: "h".repeat(1_900_001) })).status).toBe(413);
  });

  it("creates once and replays the response when a call is repeated with its Idempotency-Key", async () => {
    const body = { name: "Once" };
    const responses = await Promise.all([1, 2, 3].map(() => create(body, { "Idempotency-Key": "k" })));
    expect(new Set(await Promise.all(responses.map((result) => result.text()))).size).toBe(1);
    expect(await listNames()).toEqual(["Once"]);
    expect((await create({ name: "Other" }, { "Idempotency-Key": "k" })).status).toBe(409);
  });
});

describe("GET /v1/templates/", () => {
  it("lists the most recently updated first, in pages that continue after the Link header", async () => {
    const made = [];
    for (const name of ["a", "b", "c", "d"]) made.push(await aTemplate({ name }));
    await patch(made[1]?.id ?? "", { subject: "new" });
    expect(await listNames()).toEqual(["b", "d", "c", "a"]);
    const names: string[] = [];
    let path: string | undefined = "/v1/templates/?limit=3";
    while (path !== undefined) {
      const response: Response = await workspace.get(path);
      names.push(...(await response.json<TemplateOut[]>()).map(({ name }) => name));
      path = /<[^>]*(\/v1\/[^>]*)>/.exec(response.headers.get("Link") ?? "")?.[1];
    }
    expect(names).toEqual(["b", "d", "c", "a"]);
    expect((await workspace.get("/v1/templates/?limit=4")).headers.get("Link")).toBeNull();
    for (const query of ["limit=0", "limit=501", "after=x", "after=1_x", "after=_"])
      expect((await workspace.get(`/v1/templates/?${query}`)).status, query).toBe(422);
  });

  it("ends a page at 8 MB and leaves no template out", async () => {
    for (let i = 0; i < 6; i++) await aTemplate({ name: `${i}`, html_body: "h".repeat(1_800_000) });
    const first = await workspace.get("/v1/templates/");
    expect((await first.json<TemplateOut[]>()).map(({ name }) => name)).toEqual(["5", "4", "3", "2"]);
    const next = /after=[^>]*/.exec(first.headers.get("Link") ?? "")?.[0];
    expect(await listNames(`?${next}`)).toEqual(["1", "0"]);
  });

  it("reads the page by its index, without sorting", async () => {
    const { bindings, trips } = countingDb();
    await aTemplate();
    await apiOn(bindings, workspace.apiKey).get("/v1/templates/");
    const statement = trips.at(-1)?.statements[0];
    const plan = await planOf(statement ?? { binding: "DB" as const, sql: "", values: [] });
    expect(plan.join("\n")).toContain("templates_by_update (workspace=? AND (updated_at,id)<(?,?))");
  });
});

describe("PATCH /v1/templates/{template_id}", () => {
  it("changes the given fields, null included, and extracts the variables again", async () => {
    const template = await aTemplate({ subject: "s", html_body: "{{a}}", text_body: "{{b}}", blocks_json: { a: 1 } });
    const changed = async (body: unknown) => (await patch(template.id, body)).json<TemplateOut>();
    expect(await changed({})).toEqual(template);
    const renamed = await changed({ name: "New", id: "x", variables: [], created_at: null });
    expect(renamed).toEqual({ ...template, name: "New", updated_at: renamed.updated_at });
    expect(renamed.updated_at > template.updated_at).toBe(true);
    expect(await changed({ html_body: null })).toMatchObject({ html_body: null, variables: ["b"] });
    expect(await changed({ text_body: "{{c}}{{d}}" })).toMatchObject({ variables: ["c", "d"] });
    expect(await changed({ subject: null, blocks_json: null })).toMatchObject({ subject: null, blocks_json: null });
    for (const bad of [{ name: null }, { name: "" }, { blocks_json: "x" }, { subject: "a\nb" }, []])
      expect((await patch(template.id, bad)).status, JSON.stringify(bad)).toBe(422);
  });

  it("loses none of several concurrent changes", async () => {
    const { id } = await aTemplate();
    const changes = [{ subject: "s" }, { html_body: "h" }, { text_body: "t" }, { blocks_json: { b: 1 } }];
    const responses = await Promise.all(changes.map((body) => patch(id, body)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await (await read(id)).json()).toMatchObject(Object.assign({}, ...changes));
  });
});

describe("DELETE /v1/templates/{template_id}", () => {
  it("deletes for good, once", async () => {
    const { id } = await aTemplate();
    const responses = await Promise.all([1, 2, 3].map(() => workspace.call("DELETE", `/v1/templates/${id}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
    for (const response of [await read(id), await patch(id, { name: "a" })]) expect(response.status).toBe(404);
    expect(await listNames()).toEqual([]);
  });

  it("happens with the deletion of the workspace", async () => {
    await aTemplate();
    await workspace.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`);
    await runOutboxAt(Date.now() + 600_000);
    const left = await database.prepare("SELECT 1 FROM templates WHERE workspace = ?1").bind(workspace.workspaceNumber);
    expect((await left.all()).results).toEqual([]);
  });
});

describe("POST /v1/templates/{template_id}/duplicate", () => {
  it("returns 201 with a copy whose name has the suffix, and leaves the original as it is", async () => {
    const original = await aTemplate({ subject: "s", html_body: "{{a}}", text_body: "t", blocks_json: { a: 1 } });
    const duplicate = () => workspace.post(`/v1/templates/${original.id}/duplicate`, undefined);
    const response = await duplicate();
    expect(response.status).toBe(201);
    const copy = await response.json<TemplateOut>();
    expect(copy).toEqual({
      ...original,
      id: expect.not.stringMatching(original.id),
      name: "Receipt (the service)",
      created_at: copy.created_at,
      updated_at: copy.updated_at,
    });
    expect(await (await read(original.id)).json()).toEqual(original);
    expect(await listNames()).toEqual(["Receipt (the service)", "Receipt"]);
    await duplicate();
    expect(await listNames()).toHaveLength(3);
  });
});

describe("POST /v1/templates/{template_id}/preview", () => {
  it("renders subject and bodies with the variables and lists those that are missing", async () => {
    const { id } = await aTemplate({
      subject: "Hi {{name}} {{subject_only}}",
      html_body: "<p title='{{name}}'>{{name}}</p>{{order}}",
      text_body: "{{name}} {{amount}} {{paid}} {{note}}",
    });
    const name = "A<b>\r\n'{{order}}'";
    expect(await preview(id, { name, amount: 1.5, paid: false, note: null, unused: "x" })).toEqual({
      subject: "Hi A<b> '{{order}}' ",
      html_body: `<p title='A&lt;b&gt;\r\n&#39;{{order}}&#39;'>A&lt;b&gt;\r\n&#39;{{order}}&#39;</p>`,
      text_body: "A<b>\r\n'{{order}}' 1.5 false ",
      missing: ["subject_only", "order"],
    });
    expect(await preview(id)).toMatchObject({
      text_body: "   ",
      missing: ["name", "subject_only", "order", "amount", "paid", "note"],
    });
    const empty = await aTemplate();
    expect(await preview(empty.id, {})).toEqual({ subject: null, html_body: null, text_body: null, missing: [] });
  });

  it("returns 413 instead of a result above 5,000,000 characters", async () => {
    const { id } = await aTemplate({ html_body: "{{a}}".repeat(1_000) });
    expect((await preview(id, { a: "x".repeat(5_000) })).html_body).toHaveLength(5_000_000);
    const response = await workspace.post(`/v1/templates/${id}/preview`, { variables: { a: "<".repeat(5_000) } });
    expect(response.status).toBe(413);
  });

  it("returns 422 to variables that are no object, not scalar or above 64 KiB", async () => {
    const { id } = await aTemplate({ html_body: "{{a}}" });
    for (const variables of ["x", [1], { a: [] }, { a: {} }, { a: "x".repeat(65_536) }, { "a\0": 1 }])
      expect((await workspace.post(`/v1/templates/${id}/preview`, { variables })).status).toBe(422);
  });
});
