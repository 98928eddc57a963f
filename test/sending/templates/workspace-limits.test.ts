import { expect, it } from "vitest";
import { budgetOf } from "../../../src/platform/budgets/spent.ts";
import type { TemplateOut } from "../../../src/sending/templates/schema.ts";
import { countingDb, planOf } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { apiOn, aWorkspace, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

const create = (html_body = "") => workspace.post("/v1/templates/", { name: "A", html_body });
const patch = (id: string, body: unknown) => workspace.call("PATCH", `/v1/templates/${id}`, body);

/** Stores templates that count as so many bytes each. */
const stored = (count: number, size: number) =>
  database.run(
    `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?2)
     INSERT INTO templates (id, workspace, name, size, created_at, updated_at) SELECT ?1 || '-' || i, ?1, 'T', ?3, i, i FROM c`,
    [workspace.workspaceNumber, count, size],
  );
const TOO_MANY = { detail: "A workspace has at most 1,000 templates, together 100 MB as JSON; delete some first" };

it("a workspace has at most 1,000 templates, also by two calls at once and by duplicates", async () => {
  await stored(budgetOf("templates").rows - 1, 1);
  const responses = await Promise.all([create(), create()]);
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
  const [made] = await (await workspace.get("/v1/templates/?limit=1")).json<TemplateOut[]>();
  for (const again of [await create(), await workspace.post(`/v1/templates/${made?.id}/duplicate`, undefined)]) {
    expect(again.status).toBe(409);
    expect(await again.json()).toEqual(TOO_MANY);
  }
  expect((await patch(made?.id ?? "", { subject: "still changed" })).status).toBe(200);
  expect((await workspace.call("DELETE", `/v1/templates/${made?.id}`)).status).toBe(204);
  expect((await create()).status).toBe(201);
});

it("the templates of a workspace have at most 100 MB together, whether they are created, duplicated or changed", async () => {
  const made = await create("x".repeat(1_000));
  const { id } = await made.json<TemplateOut>();
  await stored(99, 1_010_000);
  expect((await create("x".repeat(20_000))).status).toBe(409);
  const responses = await Promise.all([create("x".repeat(5_000)), create("x".repeat(5_000))]);
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
  const grown = await patch(id, { html_body: "x".repeat(6_000) });
  expect(grown.status).toBe(409);
  expect(await grown.json()).toEqual(TOO_MANY);
  expect((await patch(id, { html_body: "x".repeat(1_500) })).status).toBe(200);
  expect((await workspace.post(`/v1/templates/${id}/duplicate`, undefined)).status).toBe(201);
  expect((await workspace.post(`/v1/templates/${id}/duplicate`, undefined)).status).toBe(409);
});

it("a template of a workspace that has more than it may can shrink, and not grow", async () => {
  const { id } = await (await create("x".repeat(1_000))).json<TemplateOut>();
  await stored(budgetOf("templates").rows + 10, 200_000);
  expect((await patch(id, { html_body: "x".repeat(1_001) })).status).toBe(409);
  expect((await patch(id, { html_body: "x".repeat(999) })).status).toBe(200);
});

it("the limits are read from an index alone, without the bodies", async () => {
  const { bindings, trips } = countingDb();
  const api = apiOn(bindings, workspace.apiKey);
  const { id } = await (await api.post("/v1/templates/", { name: "A" })).json<TemplateOut>();
  await api.call("PATCH", `/v1/templates/${id}`, { html_body: "longer" });
  const writes = trips
    .flatMap(({ statements }) => statements)
    .filter(({ sql }) => /(INTO|update) "?templates/.test(sql));
  expect(writes).toHaveLength(2);
  for (const write of writes) {
    expect((await planOf(write)).join("\n")).toContain("USING COVERING INDEX templates_by_size (workspace=?)");
  }
});
