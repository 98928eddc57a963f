import { describe, expect, it } from "vitest";
import { aListWith } from "../../audience/segments/support.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** Blocks in the content of a broadcast and in an email of an automation. Plain forms add, move and remove them. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

const textOf = async (path: string) => (await session.get(path)).text();
const versionIn = (page: string) => /name="version" value="([^"]*)"/.exec(page)?.[1] ?? "";
const legends = (html: string) => [...html.matchAll(/<legend>(\d[^<]*)<\/legend>/g)].map(([, text]) => text);
const read = async (path: string) => (await workspace.get(path)).json<Record<string, unknown>>();

const BLOCKS = {
  ...{ editor: "blocks", "b.0.type": "heading", "b.0.text": "For {{name}}" },
  ...{ "b.1.type": "button", "b.1.text": "Open", "b.1.url": "https://example.org/" },
};
const blocks_json = {
  version: 1,
  blocks: [
    { type: "heading", text: "For {{name}}", url: "" },
    { type: "button", text: "Open", url: "https://example.org/" },
  ],
};
const ADDED = ["1. Heading", "2. Divider", "3. Button"];
const FOREIGN = { editor: "another" };

/** A page whose form has a content. */
interface Edited {
  /** Path of the page, and the fields of its form beside those of the content. */
  path: string;
  fields: Record<string, string>;
  html: "html" | "html_body";
  text: "text" | "text_body";
  /** Returns the content that is stored. */
  stored: () => Promise<Record<string, unknown>>;
  /** Stores a content by the API. */
  store: (content: { html?: string; text?: string; blocks_json?: object }) => Promise<void>;
}

async function aBroadcast(): Promise<Edited> {
  const { id } = await workspace.create("/v1/broadcasts/", { name: "N", subject: "", from_address: workspace.mailbox });
  return {
    ...{ path: `/app/broadcasts/${id}/content`, html: "html_body", text: "text_body" },
    fields: { subject: "Hi", ab_test_pct: "", idempotency_key: crypto.randomUUID() },
    stored: () => read(`/v1/broadcasts/${id}`),
    store: async ({ html, text, ...rest }) => {
      const changed = await workspace.call("PATCH", `/v1/broadcasts/${id}`, {
        html_body: html,
        text_body: text,
        ...rest,
      });
      expect(changed.status, await changed.clone().text()).toBe(200);
    },
  };
}

async function aStep(): Promise<Edited> {
  const email = { kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Hi" };
  const trigger = { event: "signed_up" };
  const { id } = await workspace.create("/v1/automations/", {
    name: "A",
    trigger,
    steps: [{ ...email, text: "First" }],
  });
  return {
    ...{ path: `/app/automations/${id}/steps/0`, html: "html", text: "text", fields: email },
    stored: async () => ((await read(`/v1/automations/${id}`)).steps as Record<string, unknown>[])[0] ?? {},
    store: async (content) => {
      const changed = await workspace.call("PATCH", `/v1/automations/${id}`, { steps: [{ ...email, ...content }] });
      expect(changed.status, await changed.clone().text()).toBe(200);
    },
  };
}

describe.each([
  ["a broadcast", aBroadcast],
  ["a step", aStep],
])("the content of %s", (_, make) => {
  it("is saved as blocks with the HTML and text that are made of them, and is opened as blocks again", async () => {
    const { path, fields, html, text, stored } = await make();
    expect((await submit(session, path, { ...fields, ...BLOCKS, action: "continue" })).status).toBe(303);
    const saved = await stored();
    expect(saved).toMatchObject({ blocks_json, [text]: "For {{name}}\n\nOpen\nhttps://example.org/\n" });
    expect(saved[html]).toContain('href="https://example.org/"');
    const page = await textOf(path);
    expect(legends(page)).toEqual(["1. Heading", "2. Button"]);
    expect(page).toContain('value="For {{name}}"');
    expect(page).not.toContain('name="html_body"');
    const changed = { ...fields, ...BLOCKS, "b.0.text": "New", "b.0.showIf": "plan", version: versionIn(page) };
    expect((await submit(session, path, { ...changed, action: "continue" })).status).toBe(303);
    expect(await stored()).toMatchObject({ language: "liquid", [text]: expect.stringContaining("{% if plan") });
  });

  it("gets a block added, moved and removed without saving, and keeps what was filled in", async () => {
    const { path, fields, stored } = await make();
    const before = await stored();
    for (const [action, expected] of [
      ["add:divider:1", ADDED],
      ["down:0", ["1. Button", "2. Heading"]],
      ["up:1", ["1. Button", "2. Heading"]],
      ["remove:0", ["1. Button"]],
    ] as const) {
      const response = await submit(session, path, {
        ...fields,
        ...BLOCKS,
        subject: "Kept",
        action,
        "b.1.text": "<b>",
      });
      const page = await response.text();
      expect([response.status, legends(page)], action).toEqual([200, expected]);
      for (const part of ['value="Kept"', 'value="&lt;b&gt;"', "not saved yet", "data-editor"])
        expect(page).toContain(part);
      expect(page).toMatch(/<section id="blocks"[^>]* data-said="[^"]{10,}"/);
    }
    expect(await stored()).toEqual(before);
  });

  it("is refused with the block that is wrong, and stores nothing", async () => {
    const { path, fields, stored } = await make();
    const before = await stored();
    const wrong: Record<string, string>[] = [
      { "b.1.url": "javascript:alert(1)" },
      { "b.0.text": " " },
      { "b.0.text": "{{ a | shout }}", language: "liquid" },
    ];
    for (const changes of wrong) {
      const [name] = Object.keys(changes);
      const refused = await submit(session, path, {
        ...fields,
        ...BLOCKS,
        ...changes,
        subject: "Kept",
        action: "continue",
      });
      const page = await refused.text();
      expect([refused.status, page.includes(`href="#${name}"`), page.includes('value="Kept"')]).toEqual([
        422,
        true,
        true,
      ]);
      expect(legends(page)).toEqual(["1. Heading", "2. Button"]);
    }
    expect(await stored()).toEqual(before);
  });

  it("is edited as HTML on demand, which deletes the blocks when it is saved and says so before", async () => {
    const { path, fields, html, text, stored, store } = await make();
    await store({ html: "<p>Of blocks</p>", text: "Of blocks", blocks_json });
    expect(await textOf(path)).toContain("differs from the blocks");
    const page = await textOf(`${path}?editor=html`);
    for (const part of ["Saving the HTML deletes the blocks", 'name="html_body"', "&lt;p&gt;Of blocks"])
      expect(page).toContain(part);
    const form = {
      ...fields,
      html_body: "<p>Mine</p>",
      text_body: "Mine",
      version: versionIn(page),
      action: "continue",
    };
    expect((await submit(session, path, form)).status).toBe(303);
    const saved = await stored();
    expect(saved).toMatchObject({ [html]: "<p>Mine</p>", [text]: "Mine" });
    expect(saved.blocks_json ?? null).toBeNull();
  });

  it("keeps the HTML, the language and the data of another editor that the API has stored", async () => {
    const { path, fields, html, stored, store } = await make();
    await store({ html: "<p>{{ name | upcase }}</p>", blocks_json: FOREIGN });
    const page = await textOf(path);
    expect(page).toContain("&lt;p&gt;{{ name | upcase }}&lt;/p&gt;");
    expect(page).not.toContain("?editor=");
    const form = { ...fields, html_body: "<p>{{ name | upcase }}</p>", language: "liquid", version: versionIn(page) };
    expect((await submit(session, path, { ...form, action: "continue" })).status).toBe(303);
    const kept = { [html]: "<p>{{ name | upcase }}</p>", language: "liquid", blocks_json: FOREIGN };
    expect(await stored()).toMatchObject(kept);
    expect(await textOf(path)).toMatch(/<option value="liquid" selected/);
  });

  it("is opened with blocks that the API has stored with a mistake", async () => {
    const { path, store } = await make();
    const mistaken = { version: 1, blocks: [{ type: "button", text: "{% if", url: "javascript:alert(1)" }] };
    await store({ html: "<p>Hi</p>", blocks_json: mistaken });
    expect(legends(await textOf(path))).toEqual(["1. Button"]);
  });

  it("does not replace blocks that another tab has stored meanwhile, and shows them", async () => {
    const { path, fields, stored, store } = await make();
    await store({ html: "<p>Hi</p>", blocks_json });
    const version = versionIn(await textOf(path));
    const others = { version: 1, blocks: [{ type: "heading", text: "Of another", url: "" }] };
    await store({ html: "<p>Hi</p>", blocks_json: others });
    const refused = await submit(session, path, { ...fields, ...BLOCKS, version, action: "continue" });
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringMatching(/changed/)]);
    expect(await stored()).toMatchObject({ blocks_json: others });
  });
});

describe("a content that is not written yet", () => {
  it("is begun as blocks, with the brand, or as HTML", async () => {
    const brand = { color: "#aa2200", address: "1 Quay Street, Bath" };
    await workspace.call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, { settings: { brand } });
    const { path } = await aBroadcast();
    const { path: step } = await aStep();
    for (const page of [path, step.replace(/0$/, "new?at=1&kind=send_email")]) {
      const begin = await textOf(page);
      const link = /href="([^"]*editor=blocks[^"]*)"/.exec(begin)?.[1]?.replaceAll("&amp;", "&") ?? "";
      expect(begin).toMatch(/editor=html[^"]*" aria-current="true"/);
      const blocks = await textOf(new URL(link, `https://a.test${page}`).href.replace("https://a.test", ""));
      expect(legends(blocks)).toEqual(["1. Text", "2. Divider", "3. Text"]);
      expect(blocks).toContain("1 Quay Street, Bath");
      expect(blocks).toMatch(/editor=blocks[^"]*" aria-current="true"/);
    }
    const added = await submit(session, path, { ...BLOCKS, subject: "Hi", action: "add:button" });
    expect(await added.text()).toContain('value="#aa2200"');
  });
});

describe("a broadcast of blocks", () => {
  it("is filled with the blocks of a template, or with its HTML, which Continue saves", async () => {
    const { path, fields, stored } = await aBroadcast();
    const html_body = "<p>Own</p>";
    const ofBlocks = await workspace.create("/v1/templates/", {
      name: "Blocks",
      subject: "Its",
      html_body,
      blocks_json,
    });
    const ofHtml = await workspace.create("/v1/templates/", { name: "Plain", html_body });
    const filled = await (await submit(session, path, { ...fields, action: `template:${ofBlocks.id}` })).text();
    expect(legends(filled)).toEqual(["1. Heading", "2. Button"]);
    for (const part of ["The content is that of Blocks", 'value="Its"', 'value="For {{name}}"'])
      expect(filled).toContain(part);
    await submit(session, path, { ...fields, ...BLOCKS, action: "continue" });
    const html = await (await submit(session, path, { ...fields, ...BLOCKS, action: `template:${ofHtml.id}` })).text();
    expect([legends(html), html.includes("&lt;p&gt;Own"), html.includes('value="Hi"')]).toEqual([[], true, true]);
    await submit(session, path, { ...fields, html_body, action: "continue" });
    expect(await stored()).toMatchObject({ html_body, blocks_json: null });
  });

  it("is shown with the values of a contact before it is saved, and a mistake of a block in its place", async () => {
    await aListWith(workspace, [{ email: "ada@example.org", name: "Ada <b>" }]);
    const preview = async (changes: Record<string, string>) =>
      (await submit(session, "/app/broadcasts/preview", { ...BLOCKS, ...changes })).text();
    expect(await preview({ contact: "ada@example.org" })).toContain("For Ada &lt;b&gt;");
    expect(await preview({})).toContain("For name");
    expect(await preview({ "b.0.text": "{% if %}" })).toContain("Block 1: ");
    const { path, fields } = await aBroadcast();
    const again = await submit(session, path, { ...fields, ...BLOCKS, contact: "ada@example.org", action: "down:0" });
    expect(await again.text()).toContain('value="ada@example.org"');
  });

  it("names the block of a part that does not exist", async () => {
    const { path, fields } = await aBroadcast();
    const part = { "b.2.type": "part", "b.2.text": "no footer" };
    const refused = await submit(session, path, { ...fields, ...BLOCKS, ...part, action: "continue" });
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('href="#b.2.text"')]);
  });

  it("is not sent by a review when the API has changed its HTML since, whatever its blocks are", async () => {
    const { path, store } = await aBroadcast();
    const contact_list_id = await aListWith(workspace, [{ email: "ada@example.org" }]);
    const id = path.split("/")[3];
    await workspace.call("PATCH", `/v1/broadcasts/${id}`, { contact_list_id, subject: "Hi" });
    await store({ html: "<p>Hi</p>", blocks_json });
    const review = path.replace("content", "review");
    const reviewed = /name="reviewed" value="([^"]+)"/.exec(await textOf(review))?.[1] ?? "";
    await store({ html: "<p>Other</p>" });
    expect((await submit(session, review, { when: "now", action: "send", reviewed })).status).toBe(409);
  });
});

describe("an email of blocks of an active automation", () => {
  it("names the block of a part that does not exist", async () => {
    const { path, fields, stored } = await aStep();
    const id = path.split("/")[3];
    expect((await workspace.post(`/v1/automations/${id}/activate`, undefined)).status).toBe(200);
    const part = { "b.2.type": "part", "b.2.text": "no footer" };
    const refused = await submit(session, path, { ...fields, ...BLOCKS, ...part });
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('href="#b.2.text"')]);
    expect(await stored()).toMatchObject({ text: "First" });
  });

  it("sends a template in place of its blocks when one is chosen", async () => {
    const { path, fields, stored } = await aStep();
    const { id } = await workspace.create("/v1/templates/", { name: "T", html_body: "<p>T</p>" });
    const chosen = { ...fields, ...BLOCKS, "b.0.text": "", subject: "", template_id: id };
    expect((await submit(session, path, chosen)).status).toBe(303);
    expect(await stored()).toMatchObject({ template_id: id });
    expect(await stored()).not.toHaveProperty("blocks_json");
  });
});
