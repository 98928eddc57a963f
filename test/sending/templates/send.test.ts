import { beforeEach, describe, expect, it } from "vitest";
import { countingDb } from "../../support/counting-db.ts";
import { accepted, readEmail } from "../../support/emails.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const api = perTest(() => workspace.withoutQueue);
let template_id: string;

beforeEach(async () => {
  const body = { name: "Receipt", subject: "Hi {{name}}", html_body: "<p>{{name}}</p>", text_body: "{{name}} {{n}}" };
  template_id = (await api.create("/v1/templates/", body)).id;
});

const byTemplate = (changes: Record<string, unknown> = {}) =>
  aMail(workspace, { subject: undefined, text: undefined, template_id, variables: { name: "A<b>", n: 1 }, ...changes });

describe("a send by template", () => {
  it("renders subject, html and text with the variables", async () => {
    const { id } = await accepted(await api.post("/v1/emails/", byTemplate()));
    expect(await readEmail(workspace, id)).toMatchObject({
      subject: "Hi A<b>",
      html_body: "<p>A&lt;b&gt;</p>",
      text_body: "A<b> 1",
    });
    const other = await accepted(
      await api.post(
        "/v1/emails/",
        byTemplate({ subject: "Own {{name}}", variables: null, template_id: template_id.toUpperCase() }),
      ),
    );
    expect(await readEmail(workspace, other.id)).toMatchObject({ subject: "Own ", text_body: " " });
  });

  it("makes two D1 calls, as a send without a template does", async () => {
    const { bindings, trips } = countingDb();
    const counting = apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey);
    await accepted(await counting.post("/v1/emails/", byTemplate()));
    // The last use of the key is written after the response, once a minute.
    expect(trips.filter(({ statements }) => !statements[0]?.sql.startsWith("UPDATE api_keys"))).toHaveLength(2);
  });

  it("keeps its content when the template is changed or deleted", async () => {
    const { id } = await accepted(await api.post("/v1/emails/", byTemplate()));
    await api.call("PATCH", `/v1/templates/${template_id}`, { text_body: "new" });
    await api.call("DELETE", `/v1/templates/${template_id}`);
    expect((await readEmail(workspace, id)).text_body).toBe("A<b> 1");
    expect((await api.post("/v1/emails/", byTemplate())).status).toBe(422);
  });

  it("works in a batch, where an unknown template is the issue of its item, and in validate", async () => {
    const items = [byTemplate(), byTemplate({ template_id: crypto.randomUUID() }), aMail(workspace)];
    const batch = await (await api.post("/v1/emails/batch", items)).json<{ results: { status: string }[] }>();
    expect(batch.results.map(({ status }) => status)).toEqual(["queued", "error", "queued"]);
    const validate = async (body: unknown) =>
      (await api.post("/v1/emails/validate", body)).json<{ valid: boolean; issues: unknown[] }>();
    expect(await validate(byTemplate())).toMatchObject({ valid: true, issues: [] });
    expect(await validate(items[1])).toMatchObject({ valid: false, issues: [{ field: "content" }] });
  });

  for (const [what, changes, status] of [
    ["html beside it", { html: "<p>" }, 422],
    ["text beside it", { text: "t" }, 422],
    ["variables that are no object", { variables: "x" }, 422],
    ["a variable that is a list", { variables: { name: [] } }, 422],
    ["a subject that becomes too long", { variables: { name: "x".repeat(2_000) } }, 422],
  ] as const) {
    it(`returns ${status} to ${what}`, async () => {
      expect((await api.post("/v1/emails/", byTemplate(changes))).status).toBe(status);
    });
  }

  it("returns 422 to a template of another workspace, as to an unknown one", async () => {
    const other = (await aWorkspace()).withoutQueue;
    const { id } = await (await other.post("/v1/templates/", { name: "a", subject: "s", text_body: "t" })).json<{
      id: string;
    }>();
    const texts = [];
    for (const foreign of [id, crypto.randomUUID()])
      texts.push(await (await api.post("/v1/emails/", byTemplate({ template_id: foreign }))).text());
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).toContain("No template has this id");
  });

  it("requires a subject when the template has none, and a body", async () => {
    const create = async (body: object) => (await api.create("/v1/templates/", body)).id;
    const noSubject = await create({ name: "a", text_body: "t" });
    expect((await api.post("/v1/emails/", byTemplate({ template_id: noSubject }))).status).toBe(422);
    expect((await api.post("/v1/emails/", byTemplate({ template_id: noSubject, subject: "s" }))).status).toBe(202);
    const noBody = await create({ name: "a", subject: "s" });
    expect((await api.post("/v1/emails/", byTemplate({ template_id: noBody }))).status).toBe(422);
    expect((await api.post("/v1/emails/", aMail(workspace, { subject: undefined }))).status).toBe(422);
  });
});
