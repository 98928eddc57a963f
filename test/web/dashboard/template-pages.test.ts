import { describe, expect, it } from "vitest";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The editor of templates: HTML with a preview, and blocks that plain forms add, move and remove. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const textOf = async (path: string) => (await session.get(path)).text();
const stored = async (id: string) =>
  (await workspace.get(`/v1/templates/${id}`)).json<{ html_body: string; text_body: string; blocks_json: unknown }>();
const create = async (body: object) => (await workspace.create("/v1/templates/", body)).id;

const HEADING = { "b.0.type": "heading", "b.0.text": "For {{name}}", "b.0.url": "" };
const BUTTON = { "b.1.type": "button", "b.1.text": "Open", "b.1.url": "https://example.org/" };
const aForm = (changes: Record<string, string> = {}) => ({
  ...{ editor: "blocks", name: "Welcome", subject: "Hello", action: "save", idempotency_key: crypto.randomUUID() },
  ...{ ...HEADING, ...BUTTON },
  ...changes,
});
const saved = async (form: Record<string, string>) => {
  const { headers } = await submit(session, "/app/templates/new", form);
  return /[0-9a-f-]{36}/.exec(headers.get("Location") ?? "")?.[0] ?? "";
};
const legends = (html: string) => [...html.matchAll(/<legend>([^<]*)<\/legend>/g)].map(([, text]) => text);

describe("the form of blocks", () => {
  it("saves blocks with the HTML and text that are made of them, once", async () => {
    const form = aForm();
    const id = await saved(form);
    expect(await saved(form)).toBe(id);
    const template = await stored(id);
    expect(template.blocks_json).toEqual({
      version: 1,
      blocks: [
        { type: "heading", text: "For {{name}}", url: "" },
        { type: "button", text: "Open", url: "https://example.org/" },
      ],
    });
    expect(template.text_body).toBe("For {{name}}\n\nOpen\nhttps://example.org/\n");
    expect(template.html_body).toContain('href="https://example.org/"');
    await submit(session, `/app/templates/${id}`, aForm({ "b.0.text": "Changed" }));
    expect((await stored(id)).text_body).toMatch(/^Changed\n/);
  });

  it("adds, moves and removes a block without saving, and keeps what was filled in", async () => {
    const id = await saved(aForm());
    const before = await stored(id);
    for (const [action, expected] of [
      ["add:divider", ["1. Heading", "2. Button", "3. Divider", "Add a block"]],
      ["add:image:0", ["1. Image", "2. Heading", "3. Button", "Add a block"]],
      ["add:divider:1", ["1. Heading", "2. Divider", "3. Button", "Add a block"]],
      ["add:text:99", ["1. Heading", "2. Button", "3. Text", "Add a block"]],
      ["up:1", ["1. Button", "2. Heading", "Add a block"]],
      ["down:0", ["1. Button", "2. Heading", "Add a block"]],
      ["remove:0", ["1. Button", "Add a block"]],
    ] as const) {
      for (const path of [`/app/templates/${id}`, "/app/templates/new"]) {
        const response = await submit(session, path, aForm({ action, "b.1.text": "Kept <b>" }));
        const page = await response.text();
        expect([response.status, legends(page)], action).toEqual([200, expected]);
        expect(page).toContain('value="Kept &lt;b&gt;"');
        expect(page).toContain("not saved yet");
        expect(page.match(/ autofocus/g), action).toHaveLength(1);
        expect(page, action).toMatch(/<section id="blocks"[^>]* data-said="[^"]{10,}"/);
      }
    }
    expect(await stored(id)).toEqual(before);
  });

  it("offers to insert before each block, and marks a button after the last block was removed", async () => {
    const id = await saved(aForm());
    const page = await textOf(`/app/templates/${id}`);
    for (const place of [0, 1]) expect(page).toContain(`value="add:text:${place}"`);
    expect(page).not.toContain('value="add:text:2"');
    const one = { ...aForm({ action: "remove:0" }), "b.1.type": "" };
    const empty = await (await submit(session, `/app/templates/${id}`, one)).text();
    expect(legends(empty)).toEqual(["Add a block"]);
    expect(empty.match(/<button[^>]* autofocus[^>]*>/)?.[0]).toContain('value="add:heading"');
  });

  it("makes a template with a condition or a part Liquid, and another one what was chosen", async () => {
    await create({ name: "footer", language: "liquid", html_body: "<i>f</i>", text_body: "f" });
    const part = { "b.2.type": "part", "b.2.text": "footer" };
    const id = await saved(aForm({ "b.0.showIf": " plan ", "b.0.equals": "pro", ...part }));
    const template = await stored(id);
    expect(template).toMatchObject({ language: "liquid", variables: ["plan", "name"] });
    expect(template.text_body).toContain('{% if plan == "pro" %}For {{name}}');
    expect(template.html_body).toContain('{% render "footer" %}');
    expect(template.blocks_json).toMatchObject({ blocks: [{ showIf: "plan", equals: "pro" }, {}, { text: "footer" }] });
    const page = await textOf(`/app/templates/${id}`);
    expect(page).toMatch(/<details class="condition" open/);
    expect(page).not.toContain("differs from the blocks");
    await submit(session, `/app/templates/${id}`, aForm());
    expect(await stored(id)).toMatchObject({ language: "placeholders", variables: ["name"] });
    await submit(session, `/app/templates/${id}`, aForm({ language: "liquid" }));
    expect(await stored(id)).toMatchObject({ language: "liquid", variables: ["name"] });
  });

  it("names the block of a part that does not exist, and of a condition or text that Liquid cannot read", async () => {
    const part = { "b.2.type": "part", "b.2.text": "no footer" };
    const columns = { "b.2.type": "columns", "b.2.text": "a", "b.2.rightUrl": "javascript:alert(1)" };
    const wrong: [name: string, form: Record<string, string>][] = [
      ["b.2.text", part],
      ["b.2.rightUrl", columns],
      ["b.0.showIf", { "b.0.showIf": "no path" }],
      ["b.0.equals", { "b.0.showIf": "plan", "b.0.equals": '"' }],
      ["b.0.text", { "b.0.text": "{{ a | shout }}", language: "liquid" }],
    ];
    for (const [name, form] of wrong) {
      const refused = await submit(session, "/app/templates/new", aForm(form));
      expect([refused.status, (await refused.text()).includes(`href="#${name}"`)], name).toEqual([422, true]);
    }
  });

  it("names each wrong field of a block and saves nothing", async () => {
    const id = await saved(aForm());
    const before = await stored(id);
    const wrong: Record<string, string>[] = [
      { "b.1.url": "javascript:alert(1)" },
      { "b.0.text": " " },
      { "b.0.text": "x".repeat(10_001) },
    ];
    for (const changes of wrong) {
      const [name] = Object.keys(changes);
      const refused = await submit(session, `/app/templates/${id}`, aForm({ ...changes, subject: "Kept" }));
      const page = await refused.text();
      expect([refused.status, page.includes(`href="#${name}"`), page.includes('value="Kept"')]).toEqual([
        422,
        true,
        true,
      ]);
    }
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`b.${n}.type`, "divider"]));
    expect((await submit(session, `/app/templates/${id}`, aForm(many))).status).toBe(422);
    expect(await stored(id)).toEqual(before);
  });

  it("says when the API has changed the HTML without the blocks", async () => {
    const id = await saved(aForm());
    expect(await textOf(`/app/templates/${id}`)).not.toContain("differs from the blocks");
    await workspace.call("PATCH", `/v1/templates/${id}`, { html_body: "<p>Other</p>" });
    expect(await textOf(`/app/templates/${id}`)).toContain("differs from the blocks");
  });

  it("leaves HTML alone, and deletes blocks only when their HTML is saved, which it says before", async () => {
    const html = await create({ name: "Own", html_body: "<h1>A</h1>", blocks_json: { editor: "another" } });
    expect(await textOf(`/app/templates/${html}`)).toContain('name="html_body"');
    const id = await saved(aForm());
    const before = await stored(id);
    expect(await textOf(`/app/templates/${id}`)).not.toContain('name="html_body"');
    const asHtml = await textOf(`/app/templates/${id}?editor=html`);
    expect(asHtml).toContain("cannot be made of HTML again");
    expect(asHtml).toContain('name="html_body"');
    expect(await stored(id)).toEqual(before);
    const { html_body, text_body } = before;
    await submit(session, `/app/templates/${id}`, { name: "Welcome", subject: "Hello", html_body, text_body });
    expect(await stored(id)).toEqual({ ...before, blocks_json: null, updated_at: expect.any(String) });
    await submit(session, `/app/templates/${html}`, { name: "Own", html_body: "<h1>B</h1>" });
    expect(await stored(html)).toMatchObject({ html_body: "<h1>B</h1>", blocks_json: { editor: "another" } });
    expect(await textOf(`/app/templates/${id}`)).toContain('name="html_body"');
  });
});

describe("the preview with a contact", () => {
  it("fills in the values of a contact as a broadcast does, and says when no contact has the address", async () => {
    const list = await workspace.create("/v1/contacts/", { name: "People" });
    const metadata = { plan: "pro", tags: ["a", "b"] };
    const ada = { email: "Ada@example.org", name: "Ada <b>", metadata };
    expect((await workspace.post(`/v1/contacts/${list.id}/contacts`, ada)).status).toBe(201);
    const html_body = "{{ name }}|{% if plan == 'pro' %}Pro{% endif %}|{{ tags | join: '+' }}|{{ city }}|{{ email }}";
    const id = await create({ name: "Own", language: "liquid", html_body });
    const filled = await textOf(`/app/templates/${id}/html?contact=ada@example.org&v.city=Bath`);
    expect(filled).toContain("Ada &lt;b&gt;|Pro|a+b|Bath|Ada@example.org");
    expect(await textOf(`/app/templates/${id}/html?contact=Ada@example.org`)).toContain("|a+b||");
    const page = await textOf(`/app/templates/${id}?contact=ada@example.org`);
    expect(page).toContain("contact=ada%40example.org");
    expect(page).not.toContain("No contact has this address");
    const form = { html_body: "New: {{ name }}", language: "liquid", contact: "ada@example.org" };
    expect(await (await submit(session, "/app/templates/preview", form)).text()).toContain("New: Ada &lt;b&gt;");
    expect(await textOf(`/app/templates/${id}?contact=ad@example.org`)).toContain("No contact has this address");
    const foreign = await aSession(await aWorkspace());
    const own = await create({ name: "Plain", html_body: "{{name}}" });
    expect((await foreign.get(`/app/templates/${own}/html?contact=ada@example.org`)).status).toBe(404);
    const theirs = await submit(foreign, "/app/templates/preview", form);
    expect(await theirs.text()).toContain("New: name");
  });
});

describe("the preview of the form", () => {
  const preview = async (fields: Record<string, string>) => submit(session, "/app/templates/preview", fields);

  it("shows what is filled in with sample values, loads no image, and runs no script", async () => {
    const image = { "b.1.type": "image", "b.1.text": "A <boat>", "b.1.url": "https://example.org/boat.png" };
    const blocks = await preview({ ...aForm(image), "v.name": "<i>Ada" });
    const shown = await blocks.text();
    expect(shown).toContain("For &lt;i&gt;Ada");
    expect(shown).toContain("[A &lt;boat&gt;]");
    expect(shown).not.toContain("boat.png");
    const columns = {
      "b.1.type": "columns",
      "b.1.text": "A",
      "b.1.url": "https://example.org/a.png",
      "b.0.showIf": "x",
    };
    const unnamed = await preview({ ...aForm({ "b.1.type": "part", "b.1.text": "", "b.1.url": "" }), "v.name": "Ada" });
    expect(await unnamed.text()).toContain("For Ada");
    const decided = await (await preview({ ...aForm(columns), "v.name": "Ada" })).text();
    expect(decided).toContain("For Ada");
    expect(decided).toContain("[A]");
    expect(decided).not.toContain("a.png");
    expect(blocks.headers.get("Content-Security-Policy")).toContain("sandbox allow-popups");
    expect(await (await preview({ html_body: "<p>{{name}} {{city}}</p>", "v.name": "Ada" })).text()).toContain(
      "<p>Ada city</p>",
    );
    expect(await (await preview({ html_body: "", text_body: "1 < 2" })).text()).toContain("<pre>1 &lt; 2</pre>");
  });
});
