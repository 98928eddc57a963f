/** Templates in Liquid: what is stored, what a send renders, and that mistakes have a place. */
import { describe, expect, it } from "vitest";
import { countingDb } from "../../support/counting-db.ts";
import { accepted, readEmail } from "../../support/emails.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, perTest } from "../../support/workspace.ts";

interface Template {
  id: string;
  language: string;
  variables: string[];
}

const workspace = perTest(aWorkspace);
const api = perTest(() => workspace.withoutQueue);

const liquid = (fields: Record<string, unknown> = {}) => ({
  name: "Order",
  language: "liquid",
  subject: "Order",
  ...fields,
});

async function create(fields: Record<string, unknown>): Promise<Template> {
  const response = await api.post("/v1/templates/", liquid(fields));
  expect(response.status).toBe(201);
  return response.json<Template>();
}

async function refusalOf(response: Response): Promise<{ status: number; field: unknown; msg: string }> {
  const { detail } = await response.json<{ detail: { loc: unknown[]; msg: string }[] }>();
  return { status: response.status, field: detail[0]?.loc.at(-1), msg: detail[0]?.msg ?? "" };
}

const byTemplate = (template: Template, variables: unknown = {}) =>
  aMail(workspace, { subject: undefined, text: undefined, template_id: template.id, variables });

describe("a template in Liquid", () => {
  it("has its language and the values that it reads; one without a language has placeholders", async () => {
    const text_body = "{% for line in order.lines %}{{ line.name }}{% endfor %}{{ name }}";
    const created = await create({ text_body, subject: "{{ order.id }}" });
    expect(created).toMatchObject({ language: "liquid", variables: ["order.lines", "name", "order.id"] });
    const read = await (await api.get(`/v1/templates/${created.id}`)).json<Template>();
    expect(read).toEqual(created);
    const [listed] = await (await api.get("/v1/templates/")).json<Template[]>();
    expect(listed).toEqual(created);
    const plain = await (await api.post("/v1/templates/", { name: "Plain", text_body: "{{ a }}" })).json<Template>();
    expect(plain).toMatchObject({ language: "placeholders", variables: ["a"] });
  });

  it("changes its language with its text, and its values with either", async () => {
    const { id } = await create({ text_body: "{{ a.b }}" });
    const patch = async (body: unknown) => (await api.call("PATCH", `/v1/templates/${id}`, body)).json<Template>();
    expect(await patch({ text_body: "{{ c }}" })).toMatchObject({ language: "liquid", variables: ["c"] });
    expect(await patch({ language: "placeholders", text_body: "{{ d }}{% if %}" })).toMatchObject({ variables: ["d"] });
    expect(await refusalOf(await api.call("PATCH", `/v1/templates/${id}`, { language: "liquid" }))).toMatchObject({
      status: 422,
      field: "text_body",
    });
    const copy = await (await api.post(`/v1/templates/${id}/duplicate`, {})).json<Template>();
    expect(copy).toMatchObject({ language: "placeholders", variables: ["d"] });
  });

  it.each([
    [{ html_body: "<p>\n  {{ name | shout }}" }, "html_body", "html_body: line 2, column 3: undefined filter: shout"],
    [{ text_body: "{% if a %}" }, "text_body", "text_body: line 1, column 1: tag {% if a %} not closed"],
    [{ subject: "{% unless %}" }, "subject", /^subject: line 1, column 10: /],
    [{ text_body: "{% render 'none' %}" }, "text_body", /no Liquid template with such a body has the name "none"/],
    [{ subject: "{% render 'none' %}" }, "subject", /no Liquid template/],
    [{ language: "jinja" }, "language", /./],
  ])("is refused with the place of its mistake: %j", async (fields, field, msg) => {
    const refusal = await refusalOf(await api.post("/v1/templates/", liquid(fields)));
    expect(refusal).toMatchObject({ status: 422, field });
    expect(refusal.msg).toMatch(msg);
  });
});

describe("parts of other templates", () => {
  it("are rendered where they stand, those of parts too, each body by its own", async () => {
    await create({ name: "company", html_body: "<b>{{ company }}</b>", text_body: "{{ company }}" });
    await create({
      name: "footer",
      html_body: "<hr>{% render 'company', company: by %}",
      text_body: "--{% render 'company', company: by %}",
    });
    const order = await create({
      html_body: "{{ n }}{% render 'footer', by: firm %}",
      text_body: "{{ n }}{% render 'footer', by: firm %}",
    });
    expect(order.variables).toEqual(["n", "firm"]);
    const { id } = await accepted(await api.post("/v1/emails/", byTemplate(order, { n: 1, firm: "A&B" })));
    expect(await readEmail(workspace, id)).toMatchObject({ html_body: "1<hr><b>A&amp;B</b>", text_body: "1--A&B" });
  });

  it("of another workspace do not exist, and a deleted one refuses sends", async () => {
    const other = await aWorkspace();
    await other.withoutQueue.post("/v1/templates/", liquid({ name: "foreign", text_body: "secret" }));
    const foreign = await api.post("/v1/templates/", liquid({ text_body: "{% render 'foreign' %}" }));
    expect((await refusalOf(foreign)).msg).toContain('has the name "foreign"');
    const footer = await create({ name: "footer", text_body: "f" });
    const order = await create({ text_body: "{% render 'footer' %}" });
    await api.call("DELETE", `/v1/templates/${footer.id}`);
    const refused = await api.post("/v1/emails/", byTemplate(order));
    expect(await refusalOf(refused)).toMatchObject({ status: 422, field: "template_id" });
  });

  it.each(["text_body", "html_body"])(
    "that render each other are refused with their names when the %s is stored",
    async (body) => {
      const a = await create({ name: "a", [body]: "a" });
      await create({ name: "b", [body]: "b{% render 'a' %}" });
      const circle = 'the template "b" renders "a", which renders "b"';
      const changed = await api.call("PATCH", `/v1/templates/${a.id}`, { [body]: "\n a{% render 'b' %}" });
      const msg = `${body}: line 2, column 3: ${circle}`;
      expect(await refusalOf(changed)).toEqual({ status: 422, field: body, msg });
      const second = await api.post("/v1/templates/", liquid({ name: "a", [body]: "{% render 'b' %}" }));
      expect(await refusalOf(second)).toMatchObject({ status: 422, field: body, msg: expect.stringContaining(circle) });
      expect(await (await api.get(`/v1/templates/${a.id}`)).json()).toMatchObject({ [body]: "a" });
    },
  );

  it("that render each other since another was deleted refuse the send with their names", async () => {
    const b = await create({ name: "b", text_body: "b" });
    await create({ name: "a", text_body: "a{% render 'b' %}" });
    const newest = await create({ name: "a", text_body: "a" });
    const changed = await api.call("PATCH", `/v1/templates/${b.id}`, { text_body: "b{% render 'a' %}" });
    expect(changed.status).toBe(200);
    await api.call("DELETE", `/v1/templates/${newest.id}`);
    const refusal = await refusalOf(await api.post("/v1/emails/", byTemplate(b)));
    expect(refusal).toMatchObject({ status: 422, field: "template_id" });
    expect(refusal.msg).toContain('line 1, column 2: the template "a" renders "b", which renders "a"');
  });

  it("cost one D1 call for all emails of a batch", async () => {
    await create({ name: "footer", text_body: "{{ name }}" });
    const order = await create({ text_body: "{% render 'footer', name: name %}" });
    const { bindings, trips } = countingDb();
    const counting = apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey);
    const items = Array.from({ length: 20 }, (_, n) => byTemplate(order, { name: `n${n}` }));
    const batch = await (await counting.post("/v1/emails/batch", items)).json<{
      results: { id: string; status: string }[];
    }>();
    expect(batch.results.every(({ status }) => status === "queued")).toBe(true);
    expect(
      trips.filter(({ statements }) => statements.some(({ sql }) => sql.includes("WITH RECURSIVE used"))),
    ).toHaveLength(1);
    expect((await readEmail(workspace, batch.results[7]?.id ?? "")).text_body).toBe("n7");
  });
});

describe("a send by a template in Liquid", () => {
  it("takes lists and objects, which placeholders refuse", async () => {
    const order = await create({
      subject: "{% if total > 10 %}Large{% else %}Small{% endif %} order",
      html_body: "<ul>{% for line in lines %}<li>{{ line.name }}: {{ line.price | money: 'EUR' }}{% endfor %}</ul>",
      text_body: "{{ lines.size }}",
    });
    const lines = [
      { name: "<Tea>", price: 12.5 },
      { name: "Cup", price: 3 },
    ];
    const { id } = await accepted(await api.post("/v1/emails/", byTemplate(order, { total: 15.5, lines })));
    expect(await readEmail(workspace, id)).toMatchObject({
      subject: "Large order",
      html_body: "<ul><li>&lt;Tea&gt;: €12.50<li>Cup: €3.00</ul>",
      text_body: "2",
    });
    const plain = await (
      await api.post("/v1/templates/", { name: "P", subject: "s", text_body: "{{ a }}" })
    ).json<Template>();
    expect(await refusalOf(await api.post("/v1/emails/", byTemplate(plain, { a: [1] })))).toMatchObject({
      ...{ status: 422, field: "a", msg: "A variable must be a string, a number, a boolean or null" },
    });
  });

  it("is refused, and is one issue of its batch, when its values take it to a limit", async () => {
    const order = await create({ text_body: "{% for i in (1..n) %}{{ i }}{% endfor %}" });
    const refused = await api.post("/v1/emails/", byTemplate(order, { n: 1e9 }));
    expect(await refusalOf(refused)).toMatchObject({
      status: 422,
      field: "template_id",
      msg: expect.stringContaining("line 1, column 1"),
    });
    const items = [byTemplate(order, { n: 2 }), byTemplate(order, { n: 1e9 })];
    const batch = await (await api.post("/v1/emails/batch", items)).json<{ results: { status: string }[] }>();
    expect(batch.results.map(({ status }) => status)).toEqual(["queued", "error"]);
  });

  it("previews with values of any form, and names those that are missing", async () => {
    const order = await create({ subject: "{{ a.b }}", text_body: "{{ c }}{{ d }}" });
    const preview = await api.post(`/v1/templates/${order.id}/preview`, { variables: { a: { b: "x" }, c: [1, 2] } });
    expect(await preview.json()).toEqual({ subject: "x", html_body: null, text_body: "[1,2]", missing: ["d"] });
  });
});
